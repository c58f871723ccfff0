/** What leaves this machine for a review, said before it does (fava.md 4). It holds no content, no key and no path. */
import { isLoopback } from '../config/index.ts';
import type { ChatProvider } from './provider.ts';

/** The model of this machine with what a person is told of it. */
export interface ConfiguredModel extends ChatProvider {
  /** As the settings name it. */
  readonly provider: string;
  /** The address is the provider's public one, and not one that somebody chose. */
  readonly isPublic: boolean;
  /** Name of the variable or setting that the key is from, never the key or a path; `none`. */
  readonly credentialSource: string;
  /** Where decisions are asked, `null` when this provider takes none. */
  readonly decisions: { readonly address: string; readonly path: 'alpha/decisions' | 'v1/systemone' } | null;
}

export interface Egress {
  readonly policy: string;
  readonly provider?: string;
  readonly model?: string;
  /** Without what an address may hide: its path is shown only where it is empty, `/v1`, or a public service's. */
  readonly destination?: string;
  readonly destination_kind: 'remote_provider' | 'local_endpoint' | 'custom_endpoint' | 'operator_human';
  readonly credential_source?: string;
  /** Names of what is sent; empty when nothing is. */
  readonly data_sent: readonly string[];
  readonly explanation: string;
}

const DATA_SENT = [
  ...['reviewer instructions', 'text', 'source_type', 'confidence', 'tags', 'project', 'branch', 'reason'],
  ...['valid_from', 'valid_to', 'text it would replace', 'nearest approved texts', 'texts of its causes'],
];

const SUMMARY_SENT = ['task', 'texts and times of records', 'first digits of their hashes', 'focus'];

/** Of a policy that asks the model. */
export function modelEgress(policy: string, model: ConfiguredModel): Egress {
  const address = policy === 'decisions' ? (model.decisions?.address ?? model.address) : model.address;
  const { origin, hostname } = new URL(address);
  const isLocal = isLoopback(hostname);
  const where = isLocal ? 'a service of this machine' : origin;
  return {
    policy,
    // Of an address that somebody chose, the provider is only a default.
    ...(model.isPublic ? { provider: model.provider } : {}),
    model: model.model,
    destination: model.isPublic ? address : redacted(address),
    destination_kind: isLocal ? 'local_endpoint' : model.isPublic ? 'remote_provider' : 'custom_endpoint',
    credential_source: model.credentialSource,
    data_sent: DATA_SENT,
    explanation: `A proposal goes to ${where} before it is judged, also when it is rejected then. Agent ids, thought ids, other metadata, keys and paths do not.`,
  };
}

/** Of a summary of records that is told by the model. */
export function summaryEgress(model: ConfiguredModel): Egress {
  const { origin, hostname } = new URL(model.address);
  const where = isLoopback(hostname) ? 'a service of this machine' : origin;
  const explanation = `What the records say goes to ${where}. Keys, paths and what looks like a secret do not.`;
  return { ...modelEgress('summarize', model), data_sent: SUMMARY_SENT, explanation };
}

/** Nothing leaves. `why` is a sentence without its full stop. */
export function noEgress(policy: string, why: string): Egress {
  return { policy, destination_kind: 'operator_human', data_sent: [], explanation: `Nothing was sent: ${why}.` };
}

/** The address of a service has no user, query or fragment; its path may still be somebody's. */
function redacted(address: string): string {
  const { origin, pathname } = new URL(address);
  if (pathname === '/') return origin;
  return `${origin}${pathname === '/v1' ? pathname : '/[redacted]'}`;
}

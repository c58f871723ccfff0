/** A stored thought as results show it (fava.md 2.3). */
import { claimDigest } from '../record/claim.ts';
import { withoutForeignScopes } from '../record/foreign-scopes.ts';
import { previewOf } from '../record/preview.ts';
import type { Principal } from '../record/principal.ts';
import { showDates } from '../record/temporal.ts';
import type { JsonObject, Thought } from '../record/thought.ts';
import { toOffsetIso } from '../record/time.ts';
import type { StoredThought } from '../store/index/types.ts';
import { saysErased } from './erasure/erased-thought.ts';
import type { ThoughtSummary } from './types.ts';

export interface SummaryOptions {
  /** Adds `content`, cut after this many characters. */
  readonly bodyCap?: number;
  /** Adds the claim digest a decision would bind to. */
  readonly withClaim?: boolean;
  /** Who is shown it: names of scopes that they do not read are left out. @default everybody */
  readonly principal?: Principal;
  /** Microseconds since 1970: marks what is due or lapsed then. */
  readonly now?: bigint;
}

export function summarize(stored: Thought, scope: string, options: SummaryOptions = {}): ThoughtSummary {
  const { bodyCap, withClaim, now, principal } = options;
  const thought = principal === undefined ? stored : withoutForeignScopes(stored, principal);
  const isCut = bodyCap !== undefined && thought.body.length > bodyCap;
  const reason = thought.metadata.extra['reason'];
  return {
    thought_id: thought.thought_id,
    source_type: thought.source_type,
    validation_status: thought.validation_status,
    confidence: thought.confidence,
    agent_id: thought.agent_id,
    created_at: toOffsetIso(thought.created_at),
    content_preview: previewOf(thought.body),
    source_trail: scope,
    ...(bodyCap === undefined ? {} : { content: isCut ? cutText(thought.body, bodyCap) : thought.body }),
    ...(isCut ? { content_truncated: true as const } : {}),
    ...pick(thought, [
      'supersedes_id',
      'supersedes_scope',
      'parent_id',
      'superseded_by',
      'superseded_scope',
      'intent_ref',
    ]),
    ...(thought.relationships.length > 0 ? { relationships: thought.relationships } : {}),
    ...metadataOf(thought),
    ...(typeof reason === 'string' ? { reason } : {}),
    ...showDates(thought.metadata.extra, now),
    ...(withClaim ? { claim: claimDigest(stored) } : {}),
  };
}

/** As {@link summarize}, for a row of the index: an unverified one says so. */
export function summarizeStored(row: StoredThought, options: SummaryOptions = {}): ThoughtSummary {
  const summary = summarize(row.thought, row.scope, options);
  if (!row.held) return { ...summary, unverified: row.reason ?? 'no_event' };
  return saysErased(row.thought) ? { ...summary, erased: true } : summary;
}

/** Cuts without leaving half of a surrogate pair. */
function cutText(text: string, length: number): string {
  const code = text.charCodeAt(length - 1);
  return text.slice(0, code >= 0xd800 && code <= 0xdbff ? length - 1 : length);
}

function metadataOf(thought: Thought): { metadata?: NonNullable<ThoughtSummary['metadata']> } {
  const { project, branch, tags, extra } = thought.metadata;
  const metadata = {
    ...(project === undefined ? {} : { project }),
    ...(branch === undefined ? {} : { branch }),
    ...(tags.length > 0 ? { tags } : {}),
    ...(Object.keys(extra).length > 0 ? { extra: extra satisfies JsonObject } : {}),
  };
  return Object.keys(metadata).length > 0 ? { metadata } : {};
}

function pick<K extends keyof Thought>(thought: Thought, keys: readonly K[]): Partial<Pick<Thought, K>> {
  const picked: Partial<Pick<Thought, K>> = {};
  for (const key of keys) if (thought[key] !== undefined) picked[key] = thought[key];
  return picked;
}

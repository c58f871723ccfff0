/**
 * What a bundle of proofs says of a record as a whole (atrib's specification 2.11.3, 2.11.4), to a reader who has decided
 * whom it trusts. No command takes such a decision: asked by atrib's vectors 2.11 alone; `verify --records` judges each
 * proof by itself (`findAnchor`).
 */
import * as z from 'zod';
import { leafHash } from '../merkle.ts';
import { recordHash } from '../record.ts';
import type { AtribRecord } from '../types.ts';
import { bundleSchema } from './element.ts';
import { type AnchorFinding, type AnchorKeys, type AnchorStatus, findAnchor } from './finding.ts';

/** What the reader of a bundle decided before reading it. */
export interface AnchorTrust extends AnchorKeys {
  /** `log_id` of the logs whose word counts. */
  readonly trustedLogs: readonly string[];
  /** Trusted logs that must hold the record. */
  readonly threshold: number;
  /** Independent anchors that make a plurality. */
  readonly requiredAnchors: number;
  /** Anchors of one operator, which count as one; @default each by itself */
  readonly operatorGroups?: readonly {
    readonly group: string;
    readonly members: readonly { readonly anchor_type: string; readonly anchor_id: string }[];
  }[];
  /** Answers of logs that were asked for the record. */
  readonly answers?: readonly unknown[];
}

/** How many stand behind the record. A tier, never a reason to refuse it. */
export interface AnchorPlurality {
  readonly proof_count: number;
  readonly verified_count: number;
  readonly pending_count: number;
  readonly malformed_count: number;
  readonly unknown_types: readonly string[];
  readonly independent_count: number;
  readonly plurality_met: boolean;
  readonly single_anchor: boolean;
  readonly equivocation_detected: boolean;
  /** Earliest and latest time an anchor states, Unix milliseconds. */
  readonly anchored_at_range_ms: readonly [number, number] | null;
}

export interface AnchorReport {
  readonly findings: readonly AnchorFinding[];
  readonly anchor_plurality: AnchorPlurality;
  /** Trusted logs that hold the record. */
  readonly trusted_verified_count: number;
  /** Logs that hold it and are not trusted. */
  readonly untrusted_surfaced: readonly string[];
  readonly cross_log_threshold_not_met: boolean;
  readonly cross_log_equivocation_detected: boolean;
  /** Two trusted logs that committed to different entries for the record. */
  readonly disagreeing_pair?: {
    readonly log_id_a: string;
    readonly leaf_hash_a_hex: string;
    readonly log_id_b: string;
    readonly leaf_hash_b_hex: string;
  };
  readonly cross_log_censorship_suspected: boolean;
  /** The trusted log that says it has not what another trusted log has. */
  readonly silent_log?: string;
  /** The bundle is about another record, too few trusted logs hold it, or two of them disagree. */
  readonly hard_reject: boolean;
}

/** @returns `null` for what is no bundle. */
export function evaluateAnchors(record: AtribRecord, bundle: unknown, trust: AnchorTrust): AnchorReport | null {
  const read = bundleSchema.safeParse(bundle);
  if (!read.success) return null;
  const hash = recordHash(record);
  const findings = read.data.log_proofs.map((value, at) => findAnchor(value, at, { record, hash, keys: trust }));
  const trusted = logsThatHoldIt(findings, (id) => trust.trustedLogs.includes(id));
  const untrusted = logsThatHoldIt(findings, (id) => !trust.trustedLogs.includes(id));
  const verified = new Set(trusted.map(({ id }) => id));
  const pair = disagreement(trusted);
  const silent = verified.size === 0 ? undefined : silentLog(record, trust, verified);
  const isBelow = verified.size < trust.threshold;
  return {
    findings,
    anchor_plurality: pluralityOf(findings, trust, pair !== undefined),
    trusted_verified_count: verified.size,
    untrusted_surfaced: [...new Set(untrusted.map(({ id }) => id))],
    cross_log_threshold_not_met: isBelow,
    cross_log_equivocation_detected: pair !== undefined,
    ...(pair !== undefined && { disagreeing_pair: pair }),
    cross_log_censorship_suspected: silent !== undefined,
    ...(silent !== undefined && { silent_log: silent }),
    hard_reject: read.data.record_hash !== hash || isBelow || pair !== undefined,
  };
}

function pluralityOf(
  findings: readonly AnchorFinding[],
  trust: AnchorTrust,
  equivocation_detected: boolean,
): AnchorPlurality {
  const of = (status: AnchorStatus) => findings.filter((finding) => finding.status === status);
  const verified = of('verified');
  const independent = new Set(verified.map((finding) => operatorOf(finding, trust))).size;
  const times = verified.flatMap(({ anchored_at }) => anchored_at ?? []);
  return {
    proof_count: findings.length,
    verified_count: verified.length,
    pending_count: of('pending').length,
    malformed_count: of('malformed').length,
    unknown_types: [...new Set(of('unknown').flatMap(({ anchor_type }) => anchor_type ?? []))],
    independent_count: independent,
    plurality_met: independent >= trust.requiredAnchors,
    single_anchor: independent === 1,
    equivocation_detected,
    anchored_at_range_ms: times.length === 0 ? null : [Math.min(...times), Math.max(...times)],
  };
}

function operatorOf({ anchor_type, anchor_id }: AnchorFinding, { operatorGroups = [] }: AnchorTrust): string {
  const declared = operatorGroups.find(({ members }) =>
    members.some((member) => member.anchor_type === anchor_type && member.anchor_id === anchor_id),
  );
  return JSON.stringify(declared === undefined ? [anchor_type, anchor_id] : declared.group);
}

interface Holder {
  readonly id: string;
  readonly leaf: string;
}

function logsThatHoldIt(findings: readonly AnchorFinding[], counts: (id: string) => boolean): readonly Holder[] {
  return findings.flatMap(({ status, anchor_id: id, entry }) =>
    status === 'verified' && id !== null && entry !== undefined && counts(id)
      ? [{ id, leaf: Buffer.from(leafHash(entry)).toString('hex') }]
      : [],
  );
}

function disagreement([first, ...others]: readonly Holder[]): AnchorReport['disagreeing_pair'] {
  const other = others.find(({ leaf }) => leaf !== first?.leaf);
  if (first === undefined || other === undefined) return undefined;
  return { log_id_a: first.id, leaf_hash_a_hex: first.leaf, log_id_b: other.id, leaf_hash_b_hex: other.leaf };
}

const notFound = z.object({
  log_id: z.string(),
  status: z.literal('not_found'),
  epoch_window_ms: z.tuple([z.number(), z.number()]),
});

/** A log that was asked while it should have had the record, and had not. */
function silentLog({ timestamp }: AtribRecord, trust: AnchorTrust, verified: ReadonlySet<string>): string | undefined {
  const denied = (trust.answers ?? []).flatMap((answer) => notFound.safeParse(answer).data ?? []);
  return denied.find(({ log_id, epoch_window_ms: [from, to] }) => {
    const counts = trust.trustedLogs.includes(log_id) && !verified.has(log_id);
    return counts && from <= timestamp && timestamp <= to;
  })?.log_id;
}

/** What an answer's `_meta` says of the record that the call was signed as, and how a reader checks it (1.5.4). */
import * as z from 'zod';
import { ATRIB_PREFIX } from '../event-type.ts';
import { recordHash, verifyRecord } from '../record.ts';
import type { AtribRecord, Hash } from '../types.ts';
import type { Declaration } from './declaration.ts';
import { decodeToken, encodeToken } from './propagation-token.ts';
import { EXTENSION } from './request-meta.ts';

/** Where the record stands on its way to a public log. Never awaited, never a proof. */
export const LOG_SUBMISSIONS = ['queued', 'submitted', 'disabled', 'failed'] as const;
export type LogSubmission = (typeof LOG_SUBMISSIONS)[number];

export interface ReceiptFacts {
  readonly record: AtribRecord;
  readonly hash: Hash;
  /** What the client declared; `null` when it did not. */
  readonly declaration: Declaration | null;
  readonly logSubmission: LogSubmission;
}

/** Members for a result's `_meta`: the token under its older names, and the receipt for a client that declared. */
export function receiptMeta(signed: ReceiptFacts): Readonly<Record<string, unknown>> {
  const { record, hash, declaration, logSubmission } = signed;
  const token = encodeToken(record, hash);
  const older = { atrib: token, tracestate: `atrib=${token}`, 'X-Atrib-Chain': token };
  if (declaration === null) return older;
  const receipt = { ...factsOf(record, hash), log_submission: logSubmission };
  return { ...older, [EXTENSION]: { token, receipt, ...(declaration.accept.includes('record') && { record }) } };
}

/**
 * `result` with what `make` gives added to its `_meta`. The very same result when that is `null` or fails: a receipt
 * never costs an answer.
 */
export function withReceipt<R extends { readonly _meta?: object | undefined }>(
  result: R,
  make: () => Readonly<Record<string, unknown>> | null,
): R {
  try {
    const meta = make();
    return meta === null ? result : { ...result, _meta: { ...result._meta, ...meta } };
  } catch {
    return result;
  }
}

const blockSchema = z.object({
  token: z.string(),
  receipt: z.object({
    record_hash: z.string(),
    creator_key: z.string(),
    context_id: z.string(),
    event_type: z.string(),
    chain_root: z.string(),
    log_submission: z.enum(LOG_SUBMISSIONS),
  }),
  record: z.unknown().optional(),
});

export interface ReceiptVerdict {
  readonly valid: boolean;
  /** Members of the receipt that token or record contradict, the fault of the record, or `malformed`. */
  readonly faults: readonly string[];
}

/**
 * Whether a result's block is consistent in itself: token and receipt name one record, and a record beside them is that
 * one and signed by its creator. An invalid receipt is dropped; it says nothing against the result.
 *
 * For a client, as `carryAttribution`: asked by the vectors of the extension, and by tests of what Waymark answers.
 */
export function checkReceipt(block: unknown): ReceiptVerdict {
  const read = blockSchema.safeParse(block);
  if (!read.success) return { valid: false, faults: ['malformed'] };
  const { receipt } = read.data;
  const token = decodeToken(read.data.token);
  const stated: Readonly<Record<string, string>> = receipt;
  const contradicted = (facts: Readonly<Record<string, string | undefined>>) =>
    Object.keys(facts).filter((member) => facts[member] !== stated[member]);
  const faults = new Set(contradicted({ record_hash: token?.recordHash, creator_key: token?.creatorKey }));
  if (read.data.record !== undefined) {
    // A receipt is checked when it comes, by whatever clock its reader has; how old a record is, is not its business.
    const verdict = verifyRecord(read.data.record, { now: Number.POSITIVE_INFINITY });
    const found = verdict.ok ? contradicted(factsOf(verdict.record, recordHash(verdict.record))) : [verdict.code];
    for (const fault of found) faults.add(fault);
  }
  return { valid: faults.size === 0, faults: [...faults] };
}

function factsOf(record: AtribRecord, hash: Hash): Readonly<Record<string, string>> {
  const { creator_key, context_id, event_type, chain_root } = record;
  return { record_hash: hash, creator_key, context_id, event_type: shortType(event_type), chain_root };
}

/** atrib's own types go by their last word. */
function shortType(eventType: string): string {
  return eventType.startsWith(ATRIB_PREFIX) ? eventType.slice(ATRIB_PREFIX.length) : eventType;
}

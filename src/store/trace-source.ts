/** Where a trace finds records: this record's own log, atrib mirrors, an archive, or several of them in turn. */
import type { LinkKind } from '../ledger/links.ts';
import type { AtribRecord, Hash } from '../ledger/types.ts';
import type { JsonObject } from '../record/thought.ts';

/** A record as it is stored, read and hashed anew just now. */
export interface TraceRecord {
  readonly hash: Hash;
  /** Every member the line has; parsed, not yet checked. */
  readonly record: AtribRecord;
  /** The unsigned sidecar; of several copies the one that matches `args_hash`, else the richest. */
  readonly local: JsonObject | null;
  /** Base name of the mirror file, or repository path of the event. */
  readonly source: string;
  /** Sources whose sidecars contradict this one. */
  readonly conflicts?: readonly string[];
  /** Why the event does not count in this record although it may be signed well; of the own log only. */
  readonly discounted?: string;
  /** The erasure that took the sidecar away and says what stands for it; of the own log only. */
  readonly erased_by?: Hash;
  /** Thought the event is about; of the own log only. */
  readonly thought?: TracedThought;
}

export interface TracedThought {
  readonly thought_id: string;
  readonly scope: string;
  readonly status: string;
  readonly superseded: boolean;
  /** The beginning of its text of today: a record says what was done to a thought, never what it says. */
  readonly content_preview: string;
  /** Of an approved one: `Carol Weber (human:carol)`. */
  readonly approved_by?: string;
}

/**
 * Answers for one caller: what it must not see is absent, in every method alike.
 *
 * Synchronous, since everything local is SQLite and single reads; what comes over the network is fetched before.
 */
export interface TraceSource {
  /** `null` when absent; `unreadable` when it is known to be somewhere and cannot be read there. */
  read(hash: Hash): TraceRecord | 'unreadable' | null;
  /** Whether {@link read} would find it; no bytes are read. */
  has(hash: Hash): boolean;
  /** The log that the record says it has a place in, `null` for none; no bytes are read. */
  statedLog(hash: Hash): string | null;
  /** Hashes of the records that name this one by these links: oldest timestamp first, then by hash. */
  children(hash: Hash, kinds: readonly LinkKind[]): readonly Hash[];
  /** Hashes that start with `prefix` (`sha256:` and up to 64 hex digits), at most `limit`. */
  byPrefix(prefix: string, limit: number): readonly Hash[];
  /** Hashes of the records of one context, oldest first. */
  ofContext(contextId: string, limit: number): readonly Hash[];
  /** What kept the source from being complete: unreadable files, skipped lines, an empty folder. A sentence each. */
  warnings(): readonly string[];
}

/** What `waymark evidence` makes of a record (docs/format.md, "Evidence archive"). */
import type { Hash } from '../../ledger/types.ts';
import type { CommitId } from '../../store/version-store.ts';

/** Records an archive holds at most besides enrolments; a decision has dozens. */
export const MAX_RECORDS = 2_000;
/** How far causes are followed. */
export const MAX_DEPTH = 10;

export interface EvidenceInput {
  /** Id of a thought or the first characters of one, or `sha256:` and a record hash or the first digits of one. */
  readonly id: string;
  /** The bytes of `tools/verify.mjs`, which the archive brings along. */
  readonly verifier: Uint8Array;
}

export interface Evidence {
  /** Name in the archive to bytes, by name. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly head: CommitId;
  readonly records: number;
  readonly thoughts: readonly string[];
  /** More causes are there than {@link MAX_RECORDS} or {@link MAX_DEPTH} let in. */
  readonly truncated: boolean;
}

export interface PackedThought {
  readonly thought_id: string;
  /** Repository path. */
  readonly path: string;
  /** Name in the archive. */
  readonly file: string;
  readonly status: string;
  /** The record its text was signed by. */
  readonly event: Hash | null;
}

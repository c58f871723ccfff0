/** Input and result of `summarize`. Names are atrib's where atrib has them (atrib.md 4.2). */
import type { Hash } from '../../ledger/types.ts';
import type { IndexLag } from '../../store/repository.ts';
import type { Egress } from '../trace/types.ts';

export const SUMMARIZE_LIMITS = { records: 200, focusBytes: 2_048 } as const;

export interface SummarizeInput {
  readonly record_hashes?: readonly string[] | undefined;
  /** The records of one session, 32 lower-case hex. */
  readonly context_id?: string | undefined;
  /** A record hash, or a thought id or prefix of one: what it follows from, with the decisions about that. */
  readonly from?: string | undefined;
  /** Words: only records that hold one of them, and those linked to such. */
  readonly focus?: string | undefined;
  /** 1 to 200. @default 50 */
  readonly max_records?: number | undefined;
  /** `configured`, or the name of the model this machine is configured for, which then tells it. @default no model */
  readonly model?: string | undefined;
}

/** One record as the summary tells it. */
export interface Step {
  readonly record_hash: Hash;
  /** ISO 8601. */
  readonly at: string;
  readonly text: string;
}

/** Something nobody decided, or that cannot be followed further. */
export interface OpenEnd {
  /** The record that leaves it open. */
  readonly record_hash: Hash;
  readonly text: string;
  /** Causes that are not here. */
  readonly missing?: readonly Hash[];
}

/** A sentence of a model that its sources do not carry. */
export interface FlaggedSentence {
  readonly sentence: string;
  readonly reason: 'cites no record' | 'cites a record it was not given';
}

export interface SummarizeResult {
  readonly narrative: string;
  /** `waymark`, or `model <name>`. */
  readonly narrative_by: string;
  /** Those the narrative cites, in the order it does; it cites each by its first 12 hex digits. */
  readonly cited_record_hashes: readonly Hash[];
  /** Oldest first. */
  readonly steps: readonly Step[];
  readonly decisions: readonly Step[];
  readonly turning_points: readonly Step[];
  readonly open_ends: readonly OpenEnd[];
  readonly records_summarized: number;
  /** Asked for and not told: beyond the limit, not here, not verified, or off the focus. */
  readonly records_skipped: number;
  readonly records_with_sidecar: number;
  readonly records_without_sidecar: number;
  readonly model_used: string | null;
  readonly flagged_sentences?: readonly FlaggedSentence[];
  readonly warnings: readonly string[];
  readonly egress?: Egress;
  readonly index?: IndexLag;
}

/** Input and answer of an erasure. */
import type { TextHolders } from '../../store/git/text-holders.ts';
import type { ThoughtSummary } from '../types.ts';

export interface EraseInput {
  readonly thought_id: string;
  readonly reason: string;
  /** Scope; @default every scope is looked in */
  readonly trail_name?: string | undefined;
  /** Digest of a dry run's answer: refused when the thought is another one by now. */
  readonly claim?: string | undefined;
  /** Leave a tombstone, so that the text cannot be saved again. @default true */
  readonly keep_out?: boolean | undefined;
  /** Say what would be done, and write nothing. @default false */
  readonly dry_run?: boolean | undefined;
}

export interface EraseResult {
  readonly status: 'ok';
  readonly message: string;
  /** What is left of it; of a dry run, what it is. */
  readonly thought: ThoughtSummary;
  readonly claim: string;
  /** Sidecars that went, also of other thoughts' events that held a digest of this one. */
  readonly sidecars: number;
  /** `pending`: somebody reads it; opening the record finishes. */
  readonly index: 'clean' | 'pending' | 'untouched';
  readonly dry_run: boolean;
  /** What still holds the text here. */
  readonly held: TextHolders & { readonly notes: readonly string[] };
  /** Other thoughts that hold the whole text. */
  readonly alike?: readonly string[];
}

/** What a verification says. */
import type { Verdict } from '../../ledger/index.ts';
import type { CommitId } from '../../store/version-store.ts';

export interface Finding {
  /** What was done. Absent when the finding only follows from another. */
  readonly verdict?: Verdict;
  readonly code: string;
  readonly path?: string;
  /** From 1. */
  readonly line?: number;
  readonly message: string;
}

export interface VerifyReport {
  /** Without any verdict. */
  readonly ok: boolean;
  /** The distinct verdicts of the findings, in the order of their table. */
  readonly verdicts: readonly Verdict[];
  readonly head: CommitId | null;
  readonly checked: { readonly events: number; readonly thoughts: number; readonly logs: number };
  /** Causes first, then what follows from them. */
  readonly findings: readonly Finding[];
  /** What bounds the answer, and is no finding. */
  readonly notes: readonly string[];
}

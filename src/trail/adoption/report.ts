/** What adoption did, or would do. */
import type { Status } from '../../record/thought.ts';

/**
 * - `governed`: approved and current.
 * - `open`: its author may go on with it.
 * - `rejected`: readable by its author alone.
 * - `retired`: replaced by an approved thought, or withdrawn.
 * - `malformed`: cannot be read; `line` says where.
 * - `skipped`: stays as it was; `why` says what to do.
 */
export type Becomes = 'governed' | 'open' | 'rejected' | 'retired' | 'malformed' | 'skipped';

/**
 * What is brought in: a file no event names, one changed since, one changed in line ends or byte order mark alone, one
 * whose last event a revocation voids.
 */
export type BroughtIn = 'new' | 'edited' | 'line_ends' | 'voided';

export interface AdoptRecord {
  readonly path: string;
  readonly becomes: Becomes;
  readonly why: string;
  readonly thought_id?: string;
  readonly status?: Status;
  /** The status its last event left it in, when that was another. */
  readonly status_before?: Status;
  /** From 1. */
  readonly line?: number;
  /** Absent for what stays out. */
  readonly change?: BroughtIn;
}

export interface AdoptReport {
  readonly root: string;
  readonly dry_run: boolean;
  /** The repository was FAVA's alone until now. */
  readonly first: boolean;
  /** The branch's commit before anything was done. */
  readonly before: string;
  /** The command that goes back to `before`; absent when nothing was committed. */
  readonly undo?: string;
  readonly counts: Readonly<Record<Becomes, number>>;
  /** By path: everything brought in and everything that stays out. */
  readonly records: readonly AdoptRecord[];
  /** Settings files put in force with it, by path. */
  readonly settings: readonly string[];
  /** Settings files that differ from what is in force, new ones of a record included: `waymark accept` brings them in. */
  readonly settings_changed: readonly string[];
  /** Files put back as they were before a change that FAVA did not finish. */
  readonly recovered: readonly string[];
}

export function countsOf(records: readonly AdoptRecord[]): AdoptReport['counts'] {
  const counts = { governed: 0, open: 0, rejected: 0, retired: 0, malformed: 0, skipped: 0 };
  for (const { becomes } of records) counts[becomes] += 1;
  return counts;
}

/** What asks for another look: its date of review has come, it is no longer true, or one of its dates is malformed. */
import type { ShownDates } from '../record/temporal.ts';
import { isUnrestricted, isVisible, readableScopes } from '../record/visibility.ts';
import type { Index } from '../store/index/index.ts';
import type { TrailContext } from './context.ts';
import { summarizeStored } from './summary.ts';
import type { ThoughtSummary } from './types.ts';

export interface DueForReview {
  readonly count: number;
  /** The longest due first, at most 100; each with `due`, `lapsed` or `malformed_dates`. */
  readonly thoughts: readonly ThoughtSummary[];
}

const LISTED = 100;

/**
 * Approved, current thoughts that are due. They stay in the record as they are: nothing lapses by itself.
 *
 * @param now Unix milliseconds.
 * @param principal Whoever is no operator has nothing to review.
 */
export function dueForReview(
  index: Pick<Index, 'dueThoughts' | 'scopes' | 'thoughtByPath'>,
  { now, principal }: { readonly now: number } & Pick<TrailContext, 'principal'>,
): DueForReview {
  if (principal.role !== 'operator') return { count: 0, thoughts: [] };
  const micros = BigInt(now) * 1000n;
  const scopes = isUnrestricted(principal) ? null : readableScopes(index.scopes(), principal).map(({ scope }) => scope);
  const { count, paths } = index.dueThoughts(micros, { scopes, limit: LISTED });
  const thoughts = paths
    .flatMap((path) => index.thoughtByPath(path) ?? [])
    .filter(({ facts }) => isVisible(facts, { principal, view: 'history' }))
    .map((row) => summarizeStored(row, { now: micros, principal }));
  return { count, thoughts };
}

/** Why it is listed, for people. */
export function reasonsOf({ due, lapsed, review_by, valid_to, malformed_dates = [] }: ShownDates): readonly string[] {
  return [
    ...(due ? [`to be reviewed by ${review_by}`] : []),
    ...(lapsed ? [`true until ${valid_to}`] : []),
    ...malformed_dates.map((field) => `${field} is no time`),
  ];
}

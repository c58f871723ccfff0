/** Of several copies of one record, the one whose sidecar is shown. */
import { isDeepStrictEqual } from 'node:util';
import { type Hash, sidecarMatches } from '../../ledger/index.ts';
import type { AtribRecord } from '../../ledger/types.ts';
import type { JsonObject } from '../../record/thought.ts';
import type { TraceRecord } from '../trace-source.ts';

export interface FoundCopy {
  /** Base name of the file. */
  readonly source: string;
  readonly record: AtribRecord;
  readonly local: JsonObject | null;
}

/**
 * The copy whose sidecar the record commits to, else the first, with the sources of those that say something else of
 * the same member. `copies` are of one record, the richest first; `null` for none.
 */
export function pickCopy(hash: Hash, copies: readonly FoundCopy[]): TraceRecord | null {
  const [richest, ...more] = copies;
  if (richest === undefined) return null;
  if (more.length === 0) return { hash, ...richest };
  const picked = copies.find(({ record, local }) => sidecarMatches(record, local) === true) ?? richest;
  const others = copies.filter((copy) => copy !== picked && contradict(copy.local, picked.local));
  const conflicts = [...new Set(others.map(({ source }) => source))];
  return { hash, ...picked, ...(conflicts.length > 0 ? { conflicts } : {}) };
}

function contradict(one: JsonObject | null, other: JsonObject | null): boolean {
  if (one === null || other === null) return false;
  return Object.entries(one).some(
    ([member, value]) => Object.hasOwn(other, member) && !isDeepStrictEqual(value, other[member]),
  );
}

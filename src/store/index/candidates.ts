/** Candidate keys from the term table: a superset of the matches in a key range, in key order, nothing outside it. */
import type { Database } from 'better-sqlite3';
import { gramQuery } from './grams.ts';
import type { KeyRange } from './key.ts';

export type Candidates = (tokens: readonly string[], range: KeyRange) => Generator<readonly number[]>;

/** Somewhat more than is ranked, so that a common token ends in its first chunk. */
const FIRST_CHUNK = 2560;
const GROWTH = 4;

/** Yields chunks, so that a caller who has seen enough stops reading. `tokens` must not be empty. */
export function candidates(db: Database): Candidates {
  // The casts matter: large numbers arrive as REAL, which FTS5 does not use as a bound on row ids.
  const lookup = db
    .prepare<[match: string, low: number, high: number, limit: number], number>(
      `SELECT rowid FROM gram WHERE gram MATCH ?
       AND rowid >= CAST(? AS INTEGER) AND rowid <= CAST(? AS INTEGER) ORDER BY rowid LIMIT ?`,
    )
    .pluck();

  return function* (tokens, range) {
    const match = gramQuery(tokens);
    let low = range.low;
    for (let limit = FIRST_CHUNK; ; limit *= GROWTH) {
      const chunk = lookup.all(match, low, range.high, limit);
      const last = chunk.at(-1);
      if (last === undefined) return;
      yield chunk;
      if (chunk.length < limit) return;
      low = last + 1;
    }
  };
}

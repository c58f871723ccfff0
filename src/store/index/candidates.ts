/** Candidate keys from the gram tables: a superset of the matches in a key range, in key order, nothing outside it. */
import type { Database, Statement } from 'better-sqlite3';
import { shortQuery, trigramQuery } from './grams.ts';
import type { KeyRange } from './key.ts';

export type Candidates = (tokens: readonly string[], range: KeyRange) => Generator<readonly number[]>;

/** Somewhat more than is ranked, so that a common token ends in its first chunk. */
const FIRST_CHUNK = 4096;
const GROWTH = 4;

/** Fewer candidates than this are confirmed sooner than a common short token is looked up. */
const FEW = 64;

const NO_LIMIT = -1;

type TermLookup = Statement<[match: string, low: number, high: number, limit: number], number>;

/** Yields chunks, so that a caller who has seen enough stops reading. `tokens` must not be empty. */
export function candidates(db: Database): Candidates {
  const [gram2, gram3] = [lookup(db, 'gram2'), lookup(db, 'gram3')];

  return function* (tokens, range) {
    const short = shortQuery(tokens);
    const long = trigramQuery(tokens);
    const narrow = short !== null && long !== null;
    let low = range.low;
    for (let limit = FIRST_CHUNK; ; limit *= GROWTH) {
      const chunk =
        long === null ? gram2.all(short ?? '', low, range.high, limit) : gram3.all(long, low, range.high, limit);
      const [first, last] = [chunk[0], chunk.at(-1)];
      if (first === undefined || last === undefined) return;
      // Sorted arrays meet here: joined inside SQLite the same question took over a second (`the is rare`).
      yield narrow && chunk.length > FEW ? intersect(chunk, gram2.all(short, first, last, NO_LIMIT)) : chunk;
      if (chunk.length < limit) return;
      low = last + 1;
    }
  };
}

function lookup(db: Database, table: 'gram2' | 'gram3'): TermLookup {
  // The casts matter: large numbers arrive as REAL, which FTS5 does not use as a bound on row ids.
  return db
    .prepare<[string, number, number, number], number>(
      `SELECT rowid FROM ${table} WHERE ${table} MATCH ?
       AND rowid >= CAST(? AS INTEGER) AND rowid <= CAST(? AS INTEGER) ORDER BY rowid LIMIT ?`,
    )
    .pluck();
}

function intersect(a: readonly number[], b: readonly number[]): readonly number[] {
  const both: number[] = [];
  let at = 0;
  for (const key of a) {
    while (at < b.length && (b[at] ?? 0) < key) at++;
    if (b[at] === key) both.push(key);
  }
  return both;
}

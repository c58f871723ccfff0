/**
 * The search. Visibility class and scope are key ranges, filters are conditions of the same statements, and every
 * candidate is confirmed on its folded text: nothing is counted, scored or cut before all of them.
 */
import type { Database, Statement } from 'better-sqlite3';
import { matches } from '../../record/matching.ts';
import { type ScoredText, score } from '../../record/score.ts';
import { candidates } from './candidates.ts';
import { rangeOf } from './key.ts';
import { type Reach, reachOf } from './lanes.ts';
import { newestFirst, type TimedRow } from './newest-first.ts';
import { compareRelevance, compareTime, cursorOf, placeOf, START } from './order.ts';
import { prepared } from './statements.ts';
import { thoughtByKey } from './thought-reader.ts';
import type { RecallHit, RecallPage, RecallQuery } from './types.ts';

/** Totals are exact up to here. */
const COUNTED = 1_000;
/** More matches than this are not ranked: scoring 50,000 exactly costs 234 ms. */
const RANKED = 2_000;
/** Rows of the time index confirmed one by one before their candidates are looked up instead. */
const PATIENCE = 1_000;

type Recall = (query: RecallQuery) => RecallPage;
type Params = Readonly<Record<string, string | number | bigint>>;
type ScoredRow = TimedRow & ScoredText;

export function recall(db: Database): Recall {
  const reach = reachOf(db);
  const nominate = candidates(db);
  const byTime = newestFirst(db);
  const stored = thoughtByKey(db);
  const hayAt = db.prepare<[number], string>('SELECT hay FROM hay WHERE k = ?').pluck();
  const confirmers = new Map<string, Statement<[Params], number>>();
  const scoredRows = db.prepare<[string], ScoredRow>(
    `SELECT t.k, t.created, t.id, t.path, 0 AS score, hay.hay, hay.boosted, hay.length
     FROM json_each(?) AS match CROSS JOIN thought t ON t.k = match.value CROSS JOIN hay ON hay.k = t.k`,
  );
  const onOneSnapshot = db.transaction((query: RecallQuery) => answer(query));

  return (query) => onOneSnapshot.deferred(query);

  function answer(query: RecallQuery): RecallPage {
    const within = reach(query);
    const after = query.after === undefined ? START : placeOf(query.after);
    if (query.tokens.length === 0) {
      const page = firstOf(byTime.walk(within, after), { limit: query.limit, test: () => true });
      return { hits: page.map(hitAt), total: totalOf(byTime.count(within, COUNTED + 1)), tooCommon: false };
    }
    const keys = matchingKeys(query, within);
    const total = totalOf(keys.length);
    if (keys.length > RANKED) {
      const page = firstOf(byTime.walk(within, after), { limit: query.limit, test: isMatch(query, within) });
      return { hits: page.map(hitAt), total, tooCommon: true };
    }
    const compare = query.order === 'relevance' ? compareRelevance : compareTime;
    const page = places(keys, query)
      .filter((row) => compare(after, row) < 0)
      .sort(compare)
      .slice(0, query.limit);
    return { hits: page.map(hitAt), total, tooCommon: false };
  }

  /** Keys of all matches, or of the first one more than are ranked. */
  function matchingKeys(query: RecallQuery, within: Reach): readonly number[] {
    const confirmer = confirmerOf(within.conditions.sql);
    const params = { ...within.conditions.params, tokens: JSON.stringify(query.tokens) };
    const found: number[] = [];
    for (const lane of within.lanes) {
      for (const keys of nominate(query.tokens, rangeOf(lane.class, lane.scope))) {
        const limit = RANKED + 1 - found.length;
        found.push(...confirmer.all({ ...params, keys: JSON.stringify(keys), limit }));
        if (found.length > RANKED) return found;
      }
    }
    return found;
  }

  /** `matches` in SQL, which spares the common token five in six parts of the time: no text becomes a string here. */
  function confirmerOf(conditions: string): Statement<[Params], number> {
    return prepared(confirmers, {
      sql: `SELECT t.k FROM json_each(@keys) AS candidate CROSS JOIN thought t ON t.k = candidate.value
        CROSS JOIN hay ON hay.k = t.k
        WHERE NOT EXISTS (SELECT 1 FROM json_each(@tokens) AS token WHERE instr(hay.hay, token.value) = 0)${conditions}
        LIMIT @limit`,
      prepare: (sql) => db.prepare<[Params], number>(sql).pluck(),
    });
  }

  function places(keys: readonly number[], query: RecallQuery): TimedRow[] {
    const rows: TimedRow[] = [];
    // One at a time: a thousand large texts do not fit in memory at once.
    for (const row of scoredRows.iterate(JSON.stringify(keys))) {
      const { k, created, id, path } = row;
      rows.push({ k, created, id, path, score: query.order === 'relevance' ? score(row, query.tokens) : 0 });
    }
    return rows;
  }

  /** Confirms a row of the time index. When matches are scarce among the newest, looks all candidates up once. */
  function isMatch(query: RecallQuery, within: Reach): (row: TimedRow) => boolean {
    let seen = 0;
    let nominated: Set<number> | undefined;
    return (row) => {
      seen++;
      if (seen > PATIENCE) nominated ??= allCandidates(query, within);
      if (nominated?.has(row.k) === false) return false;
      return matches(hayAt.get(row.k) ?? '', query.tokens);
    };
  }

  function allCandidates(query: RecallQuery, within: Reach): Set<number> {
    const all = new Set<number>();
    for (const lane of within.lanes) {
      for (const keys of nominate(query.tokens, rangeOf(lane.class, lane.scope))) for (const k of keys) all.add(k);
    }
    return all;
  }

  function hitAt(row: TimedRow): RecallHit {
    return { ...stored(row.k), score: row.score, cursor: cursorOf(row) };
  }
}

function firstOf(
  rows: Iterable<TimedRow>,
  options: { readonly limit: number; readonly test: (row: TimedRow) => boolean },
): readonly TimedRow[] {
  const page: TimedRow[] = [];
  if (options.limit === 0) return page;
  for (const row of rows) {
    if (!options.test(row)) continue;
    page.push(row);
    if (page.length === options.limit) break;
  }
  return page;
}

function totalOf(count: number): RecallPage['total'] {
  return count > COUNTED ? { at_least: COUNTED } : { exact: count };
}

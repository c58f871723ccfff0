/** Walks the time index: what a query without tokens lists, and how a token that does not discriminate is served. */
import type { Database, Statement } from 'better-sqlite3';
import type { Lane, Reach } from './lanes.ts';
import { compareTime, type Place } from './order.ts';
import { prepared } from './statements.ts';

export interface TimedRow extends Place {
  readonly k: number;
}

export interface NewestFirst {
  /** Rows that meet the conditions and come after `after`, newest first; reads on as far as the caller does. */
  walk(reach: Reach, after: Place): Generator<TimedRow>;
  /** Number of rows that meet the conditions, `cap` when there are at least so many. */
  count(reach: Reach, cap: number): number;
}

type Params = Readonly<Record<string, string | number | bigint | null>>;

const FIRST_BATCH = 64;
const LARGEST_BATCH = 4096;

export function newestFirst(db: Database): NewestFirst {
  const statements = new Map<string, Statement<[Params], TimedRow>>();
  const counters = new Map<string, Statement<[Params], number>>();

  return { walk, count };

  /** Merges the lanes: each is in order, so the next row is the first of their heads. */
  function* walk(reach: Reach, after: Place): Generator<TimedRow> {
    const open = reach.lanes.flatMap((lane) => opened(walkLane(reach, { lane, after })));
    while (open.length > 0) {
      const next = open.reduce((first, other) => (compareTime(other.head, first.head) < 0 ? other : first));
      yield next.head;
      open.splice(open.indexOf(next), 1, ...opened(next.rows));
    }
  }

  function* walkLane(reach: Reach, { lane, after }: { lane: Lane; after: Place }): Generator<TimedRow> {
    const statement = rowsOf(lane, reach.conditions.sql);
    let from = after;
    for (let limit = FIRST_BATCH; ; limit = Math.min(limit * 2, LARGEST_BATCH)) {
      const { created, id, path } = from;
      const rows = statement.all({ ...reach.conditions.params, ...lane, created, id, path, limit });
      yield* rows;
      const last = rows.at(-1);
      if (last === undefined || rows.length < limit) return;
      from = last;
    }
  }

  function count(reach: Reach, cap: number): number {
    let sum = 0;
    for (const lane of reach.lanes) {
      const counter = counterOf(lane, reach.conditions.sql);
      sum += counter.get({ ...reach.conditions.params, ...lane, limit: cap - sum }) ?? 0;
      if (sum >= cap) return cap;
    }
    return sum;
  }

  function rowsOf(lane: Lane, conditions: string): Statement<[Params], TimedRow> {
    return prepared(statements, {
      sql: `SELECT t.k, t.created, t.id, t.path, 0 AS score FROM ${inLane(lane)}
        AND (t.created, t.id, t.path) < (@created, @id, @path)${conditions}
        ORDER BY t.created DESC, t.id DESC, t.path DESC LIMIT @limit`,
      prepare: (sql) => db.prepare<[Params], TimedRow>(sql),
    });
  }

  function counterOf(lane: Lane, conditions: string): Statement<[Params], number> {
    return prepared(counters, {
      sql: `SELECT count(*) FROM (SELECT 1 FROM ${inLane(lane)}${conditions} LIMIT @limit)`,
      prepare: (sql) => db.prepare<[Params], number>(sql).pluck(),
    });
  }
}

/** Named, since the planner has no statistics and must not sort. */
function inLane(lane: Lane): string {
  if (lane.scope === null) return 'thought t INDEXED BY thought_by_time WHERE t.class = @class';
  return 'thought t INDEXED BY thought_by_scope_time WHERE t.class = @class AND t.scope_id = @scope';
}

/** The lane with its next row taken off, or nothing when it has ended. */
function opened(rows: Generator<TimedRow>): readonly { rows: Generator<TimedRow>; head: TimedRow }[] {
  const next = rows.next();
  return next.done === true ? [] : [{ rows, head: next.value }];
}

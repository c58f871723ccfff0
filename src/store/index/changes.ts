/** What changed last. A thought changed when the newest event about its file was signed. */
import type { Database } from 'better-sqlite3';
import { STATUSES, type Status } from '../../record/thought.ts';
import type { VisibilityClass } from '../../record/visibility.ts';
import { thoughtByKey } from './thought-reader.ts';
import type { StoredThought } from './types.ts';

export interface ChangeQuery {
  readonly classes: readonly VisibilityClass[];
  /** Existing scopes, exact. */
  readonly scopes: readonly string[];
  /** @default any */
  readonly statuses?: readonly Status[];
  readonly limit: number;
}

export interface ChangedThought extends StoredThought {
  /** Unix milliseconds. */
  readonly changed: number;
}

export interface ChangeReader {
  /** Thoughts of these classes and scopes, the last changed first. */
  lastChanged(query: ChangeQuery): readonly ChangedThought[];
  /** Thoughts of one author, the last changed first, whatever became of them. */
  lastChangedBy(agentId: string, limit: number): readonly ChangedThought[];
}

interface ChangedRow {
  readonly k: number;
  /** Microseconds since 1970. */
  readonly changed: number;
}

interface LaneQuery {
  readonly class: VisibilityClass;
  readonly scope: string;
  readonly status: Status;
  readonly limit: number;
}

export function changeReader(db: Database): ChangeReader {
  const inLane = db.prepare<LaneQuery, ChangedRow>(
    `SELECT k, changed FROM thought INDEXED BY thought_by_change
     WHERE class = @class AND scope_id = (SELECT scope_id FROM scope WHERE name = @scope) AND status = @status
     ORDER BY changed DESC LIMIT @limit`,
  );
  const byAuthor = db.prepare<[string, number], ChangedRow>(
    `SELECT k, changed FROM thought INDEXED BY thought_by_author_change
     WHERE agent_id = ? ORDER BY changed DESC LIMIT ?`,
  );
  const stored = thoughtByKey(db);
  const changedThought = ({ k, changed }: ChangedRow) => ({ ...stored(k), changed: Math.floor(changed / 1000) });

  return {
    lastChanged({ classes, scopes, statuses = STATUSES, limit }) {
      const rows = classes.flatMap((group) =>
        scopes.flatMap((scope) => statuses.flatMap((status) => inLane.all({ class: group, scope, status, limit }))),
      );
      return rows
        .sort((a, b) => b.changed - a.changed || b.k - a.k)
        .slice(0, limit)
        .map(changedThought);
    },
    lastChangedBy: (agentId, limit) => byAuthor.all(agentId, limit).map(changedThought),
  };
}

/** Thoughts by name. What a caller may see of them is decided by `record/visibility.ts` on `facts`. */
import type { Database } from 'better-sqlite3';
import type { Namespace, Status, Thought } from '../../record/thought.ts';
import type { VisibilityFacts } from '../../record/visibility.ts';
import type { StoredThought, UnverifiedReason } from './types.ts';

export interface ThoughtReader {
  /** All files with that id, by path. */
  thoughtById(id: string): readonly StoredThought[];
  /**
   * Where the thoughts lie whose id starts with `prefix`, by id and path, and what their visibility depends on. Case
   * counts. Read as far as the caller does; nothing else may be asked of the connection meanwhile.
   */
  placesByPrefix(prefix: string): IterableIterator<ThoughtPlace>;
  thoughtByPath(path: string): StoredThought | null;
  /** Thoughts whose back-link names that id, by path; FAVA before 0.7 wrote it before the successor was approved. */
  thoughtsLinkedTo(id: string): readonly StoredThought[];
}

export interface ThoughtPlace {
  readonly path: string;
  readonly scope: string;
  readonly facts: VisibilityFacts;
}

interface PlaceRow {
  readonly path: string;
  readonly scope: string;
  readonly status: Status;
  readonly agent_id: string;
  readonly held: number;
  readonly superseded: number;
}

interface StoredRow {
  readonly path: string;
  readonly scope: string;
  readonly namespace: Namespace;
  readonly blob: string;
  readonly status: Status;
  readonly agent_id: string;
  readonly held: number;
  readonly superseded: number;
  readonly reason: UnverifiedReason | null;
  readonly event: string | null;
  readonly fields: string;
  readonly body: string;
}

const STORED = `
  SELECT path, scope.name AS scope, namespace, blob, status, agent_id, held, superseded, reason, event, fields, body
  FROM thought JOIN scope USING (scope_id) JOIN body USING (k)`;

/** Above every character of an id. */
const AFTER_PREFIX = '\u{10ffff}';

export function thoughtReader(db: Database): ThoughtReader {
  const byId = db.prepare<[string], StoredRow>(`${STORED} WHERE id = ? ORDER BY path`);
  const byPrefix = db.prepare<[string, string], PlaceRow>(
    `SELECT path, scope.name AS scope, status, agent_id, held, superseded FROM thought JOIN scope USING (scope_id)
     WHERE id >= ? AND id < ? ORDER BY id, path`,
  );
  const bySuccessor = db.prepare<[string], StoredRow>(`${STORED} WHERE superseded_by = ? ORDER BY path`);
  const byPath = db.prepare<[string], StoredRow>(`${STORED} WHERE path = ?`);

  return {
    thoughtById: (id) => byId.all(id).map(storedThought),
    *placesByPrefix(prefix) {
      for (const { path, scope, status, agent_id, held, superseded } of byPrefix.iterate(
        prefix,
        prefix + AFTER_PREFIX,
      )) {
        yield { path, scope, facts: { scope, status, agent_id, held: held === 1, superseded: superseded === 1 } };
      }
    },
    thoughtByPath(path) {
      const row = byPath.get(path);
      return row === undefined ? null : storedThought(row);
    },
    thoughtsLinkedTo: (id) => bySuccessor.all(id).map(storedThought),
  };
}

/** Reads one thought by its key, which must exist in the snapshot. */
export function thoughtByKey(db: Database): (k: number) => StoredThought {
  const byKey = db.prepare<[number], StoredRow>(`${STORED} WHERE k = ?`);
  return (k) => {
    const row = byKey.get(k);
    if (row === undefined) throw new Error(`The index lacks a row under key ${k}: rebuild it`);
    return storedThought(row);
  };
}

function storedThought(row: StoredRow): StoredThought {
  // Written by `putThought` of this layout, from a parsed thought.
  const fields: Omit<Thought, 'body'> = JSON.parse(row.fields);
  const held = row.held === 1;
  const superseded = row.superseded === 1;
  return {
    path: row.path,
    scope: row.scope,
    namespace: row.namespace,
    blob: row.blob,
    thought: { ...fields, body: row.body },
    held,
    ...(row.reason === null ? {} : { reason: row.reason }),
    ...(row.event === null ? {} : { event: row.event }),
    superseded,
    facts: { scope: row.scope, status: row.status, agent_id: row.agent_id, held, superseded },
  };
}

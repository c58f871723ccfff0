/**
 * Writes thoughts and keeps each under the key its visibility class gives.
 *
 * Two things wait until {@link ThoughtWriter.settleSupersession}, in tables so that a savepoint undoes them too. Whether
 * a thought is superseded depends on rows that may be written later: the ids to look at again are `dirty`. And terms are
 * written in key order, since FTS5 starts a new segment whenever a row id descends: rows without terms are `unindexed`.
 */
import type { Database } from 'better-sqlite3';
import { marksOf } from '../../record/alike.ts';
import { hayOf } from '../../record/matching.ts';
import { boostedOf, lengthOf } from '../../record/score.ts';
import { dueOf, validityOf } from '../../record/temporal.ts';
import type { Status } from '../../record/thought.ts';
import { microsOf } from '../../record/time.ts';
import { type VisibilityClass, visibilityClass } from '../../record/visibility.ts';
import { gramLister } from './grams.ts';
import { keyOf } from './key.ts';
import { referencesOf } from './references.ts';
import type { ThoughtRow } from './types.ts';

export interface ThoughtWriter {
  /** By path; replaces what the path held. */
  putThought(row: ThoughtRow): void;
  removeThought(path: string): void;
  /** Brings classes and search terms up to date; `commit` does it when the caller did not. Idempotent. */
  settleSupersession(): void;
}

interface KeyedRow {
  readonly k: number;
  readonly class: VisibilityClass;
  readonly scope_id: number;
  readonly status: Status;
  readonly agent_id: string;
  readonly held: number;
  readonly id: string;
  readonly superseded_by: string | null;
  readonly superseded_scope: string | null;
}

const KEYED = 'k, class, scope_id, status, agent_id, held, id, superseded_by, superseded_scope';

/** @param options.searchable Without, rows stay `unindexed` and no query by words finds them. */
export function thoughtWriter(db: Database, { searchable }: { readonly searchable: boolean }): ThoughtWriter {
  const addScope = db.prepare('INSERT OR IGNORE INTO scope (name, next_seq) VALUES (?, 0)');
  const scopeId = db.prepare<[string], number>('SELECT scope_id FROM scope WHERE name = ?').pluck();
  // Two statements: RETURNING opens a journal of its own, which inside a large savepoint costs a millisecond each time.
  const nextSeq = db.prepare<[number], number>('SELECT next_seq FROM scope WHERE scope_id = ?').pluck();
  const takeSeq = db.prepare('UPDATE scope SET next_seq = next_seq + 1 WHERE scope_id = ?');
  const atPath = db.prepare<[string], KeyedRow>(`SELECT ${KEYED} FROM thought WHERE path = ?`);
  const addThought = db.prepare(
    `INSERT INTO thought VALUES (@k, @path, @id, @class, @scope_id, @created, @changed, @namespace, @status, @source_type,
      @agent_id, @confidence, @project, @branch, @tags, @valid_from, @valid_to, @due_at, @superseded_by, @superseded_scope, @retired, @retired, @held, @reason, @event, @blob)`,
  );
  const changedBy = db
    .prepare<[string], number>(`SELECT envelope ->> '$.record.timestamp' FROM event WHERE hash = ?`)
    .pluck();
  const addReference = db.prepare('INSERT OR IGNORE INTO reference (target, kind, k) VALUES (?, ?, ?)');
  const addBody = db.prepare('INSERT INTO body (k, fields, body) VALUES (?, ?, ?)');
  const addHay = db.prepare('INSERT INTO hay (k, hay, boosted, length) VALUES (?, ?, ?, ?)');
  const addMark = db.prepare('INSERT OR IGNORE INTO alike (mark, k) VALUES (?, ?)');
  const dropMark = db.prepare('DELETE FROM alike WHERE mark = ? AND k = ?');
  const bodyAt = db.prepare<[number], string>('SELECT body FROM body WHERE k = ?').pluck();
  const addUnindexed = db.prepare('INSERT INTO unindexed (k) VALUES (?)');
  const dropUnindexed = db.prepare('DELETE FROM unindexed WHERE k = ?');
  const addDirty = db.prepare('INSERT OR IGNORE INTO dirty (id) VALUES (?)');
  const dropTerms = db.prepare('DELETE FROM gram WHERE rowid = CAST(? AS INTEGER)');
  const dropRows = ['thought', 'body', 'hay'].map((table) => db.prepare(`DELETE FROM ${table} WHERE k = ?`));
  const moveRows = ['body', 'hay'].map((table) => db.prepare(`UPDATE ${table} SET k = ? WHERE k = ?`));
  const moveThought = db.prepare('UPDATE thought SET k = ?, class = ?, superseded = ? WHERE k = ?');
  const affected = db.prepare<[], KeyedRow>(
    `SELECT ${KEYED} FROM thought
     WHERE superseded_by IS NOT NULL AND superseded_by IN (SELECT id FROM dirty) AND retired = 0`,
  );
  // Only approved rows count: a draft or unverified file that copies an id must not bring back what was retired.
  const successors = db
    .prepare<{ id: string; scope: string | null }, number>(
      `SELECT k FROM thought JOIN scope USING (scope_id)
       WHERE id = @id AND held = 1 AND status = 'approved' AND (@scope IS NULL OR scope.name = @scope) LIMIT 2`,
    )
    .pluck();
  const clearDirty = db.prepare('DELETE FROM dirty');
  // In key order, which FTS5 needs; `.all` of keys alone, since a statement cannot write while another one reads.
  const unindexed = db.prepare<[], number>('SELECT k FROM unindexed ORDER BY k').pluck();
  const hayAt = db.prepare<[number], string>('SELECT hay FROM hay WHERE k = ?').pluck();
  const addTerms = db.prepare('INSERT INTO gram (rowid, x) VALUES (CAST(? AS INTEGER), ?)');
  const termsOf = gramLister();
  const clearUnindexed = db.prepare('DELETE FROM unindexed');

  return { putThought, removeThought, settleSupersession };

  function putThought(row: ThoughtRow): void {
    removeThought(row.path);
    const { thought } = row;
    const { body, ...fields } = thought;
    const superseded = row.retired === true;
    const facts = { status: thought.validation_status, agent_id: thought.agent_id, held: row.held, superseded };
    const group = visibilityClass(facts);
    addScope.run(row.scope);
    const scope = defined(scopeId.get(row.scope));
    const k = nextKey(group, scope);
    const validity = validityOf(thought.metadata.extra);
    // Exact until the year 2255; what is no time sorts last.
    const created = Number(microsOf(thought.created_at) ?? 0n);
    const changed = row.event === undefined ? undefined : changedBy.get(row.event);
    addThought.run({
      k,
      path: row.path,
      id: thought.thought_id,
      class: group,
      scope_id: scope,
      created,
      changed: changed === undefined ? created : changed * 1000,
      namespace: row.namespace,
      status: thought.validation_status,
      source_type: thought.source_type,
      agent_id: thought.agent_id,
      confidence: thought.confidence,
      project: thought.metadata.project ?? null,
      branch: thought.metadata.branch ?? null,
      tags: JSON.stringify(thought.metadata.tags),
      valid_from: validity.from ?? null,
      valid_to: validity.to ?? null,
      due_at: dueOf(validity),
      superseded_by: thought.superseded_by ?? null,
      superseded_scope: thought.superseded_scope ?? null,
      retired: superseded ? 1 : 0,
      held: row.held ? 1 : 0,
      reason: row.reason ?? null,
      event: row.event ?? null,
      blob: row.blob,
    });
    for (const { kind, target } of referencesOf(thought)) addReference.run(target, kind, k);
    addBody.run(k, JSON.stringify(fields), body);
    addHay.run(k, hayOf(thought), boostedOf(thought), lengthOf(thought));
    if (searchable) for (const mark of marksOf(body)) addMark.run(mark, k);
    addUnindexed.run(k);
    markDirty({ id: thought.thought_id, superseded_by: thought.superseded_by ?? null });
  }

  function removeThought(path: string): void {
    const old = atPath.get(path);
    if (old === undefined) return;
    forgetTerms(old.k);
    dropMarks(old.k);
    for (const statement of dropRows) statement.run(old.k);
    markDirty(old);
  }

  function settleSupersession(): void {
    for (const row of affected.all()) rekey(row);
    clearDirty.run();
    if (!searchable) return;
    for (const k of unindexed.all()) {
      addTerms.run(k, termsOf(defined(hayAt.get(k))));
    }
    clearUnindexed.run();
  }

  function rekey(row: KeyedRow): void {
    const superseded = isSuperseded(row);
    const { status, agent_id } = row;
    const group = visibilityClass({ status, agent_id, held: row.held === 1, superseded });
    const k = group === row.class ? row.k : nextKey(group, row.scope_id);
    moveThought.run(k, group, superseded ? 1 : 0, row.k);
    if (k === row.k) return;
    for (const mark of dropMarks(row.k)) addMark.run(mark, k);
    for (const statement of moveRows) statement.run(k, row.k);
    forgetTerms(row.k);
    addUnindexed.run(k);
  }

  function isSuperseded(row: KeyedRow): boolean {
    if (row.superseded_by === null) return false;
    const found = successors.all({ id: row.superseded_by, scope: row.superseded_scope });
    return found.length === 1;
  }

  function markDirty(row: { readonly id: string; readonly superseded_by: string | null }): void {
    addDirty.run(row.id);
    if (row.superseded_by !== null) addDirty.run(row.superseded_by);
  }

  /** Marks follow from the text, so they are not kept a second time to find them by key. */
  function dropMarks(k: number): readonly number[] {
    if (!searchable) return [];
    const marks = marksOf(defined(bodyAt.get(k)));
    for (const mark of marks) dropMark.run(mark, k);
    return marks;
  }

  function forgetTerms(k: number): void {
    if (dropUnindexed.run(k).changes === 0) dropTerms.run(k);
  }

  function nextKey(group: VisibilityClass, scope: number): number {
    const seq = defined(nextSeq.get(scope));
    takeSeq.run(scope);
    return keyOf({ class: group, scope, seq });
  }
}

function defined<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('The index lacks a row that was written before: rebuild it');
  return value;
}

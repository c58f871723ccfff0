/** What goes into a mirror's index. Everything here belongs into a transaction that the caller began. */
import type { Database } from 'better-sqlite3';
import { type AtribRecord, type Hash, LINK_KINDS, linksOf, statedLogOf } from '../../ledger/index.ts';
import { bytesOf, keptText } from './index-keys.ts';
import { recentIds } from './recent-ids.ts';
import { CONTENT_TABLES } from './schema.ts';

/** A line that is a record. */
export interface Copy {
  readonly file: number;
  readonly start: number;
  readonly length: number;
  readonly hash: Hash;
  readonly record: AtribRecord;
  /** Size of the sidecar, to tell the richest; 0 for none. */
  readonly sidecar: number;
}

export interface IndexWriter {
  /** First in every transaction. */
  start(): void;
  /** Last in every transaction that is kept. */
  finish(): void;
  add(copy: Copy): void;
  /** Takes out copies of a file from an offset on, the last ones first; how many, 0 when there are none left. */
  drop(file: number, from: number): number;
  /** Forgets everything. */
  clear(): void;
}

/** Records taken out at once: a moment's work. */
const DROP = 1_000;

export function indexWriter(db: Database): IndexWriter {
  const find = db.prepare<[Buffer], { id: number; time: number | null }>('SELECT id, time FROM record WHERE hash = ?');
  const insert = db.prepare('INSERT INTO record (hash, copies, time, context, log) VALUES (?, ?, ?, ?, ?)');
  const complete = db.prepare('UPDATE record SET copies = 1, time = ?, context = ?, log = ? WHERE id = ?');
  const addCopies = db
    .prepare<[number, number], number>('UPDATE record SET copies = copies + ? WHERE id = ? RETURNING copies')
    .pluck();
  const addDistinct = db.prepare('UPDATE total SET distinct_records = distinct_records + ?');
  const insertLink = db.prepare('INSERT OR IGNORE INTO link (target, kind, time, child) VALUES (?, ?, ?, ?)');
  const insertCopy = db.prepare('INSERT INTO copy (file, start, record, length, sidecar) VALUES (?, ?, ?, ?, ?)');
  const findText = db.prepare<[string], number>('SELECT id FROM text WHERE value = ?').pluck();
  const insertText = db.prepare('INSERT INTO text (value) VALUES (?)');
  const lastCopies = db.prepare<[number, number], { start: number; record: number }>(
    `SELECT start, record FROM copy WHERE file = ? AND start >= ? ORDER BY start DESC LIMIT ${DROP}`,
  );
  const dropCopies = db.prepare('DELETE FROM copy WHERE file = ? AND start >= ?');
  const clearTables = CONTENT_TABLES.map((table) => db.prepare(`DELETE FROM ${table}`));

  // A cause is mostly a recent record, and contexts and logs are few.
  const hashes = recentIds((hash) => {
    const bytes = bytesOf(hash);
    return find.get(bytes)?.id ?? insert.run(bytes, 0, null, null, null).lastInsertRowid;
  });
  const texts = recentIds((text) => findText.get(keptText(text)) ?? insertText.run(keptText(text)).lastInsertRowid);

  let newlyThere = 0;

  function addLinks(record: AtribRecord, id: number): void {
    for (const { kind, target } of linksOf(record)) {
      insertLink.run(hashes.of(target), LINK_KINDS.indexOf(kind), record.timestamp, id);
    }
  }

  /** One copy more of a record that the index may know, or know by name alone. */
  function countCopy(hash: Hash, record: AtribRecord): number {
    const bytes = bytesOf(hash);
    const found = find.get(bytes);
    if (found !== undefined && found.time !== null) {
      if (addCopies.get(1, found.id) === 1) newlyThere += 1;
      return found.id;
    }
    const facts = factsOf(record);
    if (found !== undefined) complete.run(...facts, found.id);
    const id = found?.id ?? Number(insert.run(bytes, 1, ...facts).lastInsertRowid);
    newlyThere += 1;
    addLinks(record, id);
    return id;
  }

  function factsOf(record: AtribRecord): readonly (number | null)[] {
    const log = statedLogOf(record);
    return [record.timestamp, texts.of(record.context_id), log === null ? null : texts.of(log)];
  }

  return {
    start() {
      // Another process may have changed which row has which id.
      hashes.clear();
      texts.clear();
      newlyThere = 0;
    },
    finish: () => void addDistinct.run(newlyThere),

    add({ file, start, length, hash, record, sidecar }) {
      const id = countCopy(hash, record);
      hashes.remember(hash, id);
      insertCopy.run(file, start, id, length, sidecar);
    },

    drop(file, from) {
      const copies = lastCopies.all(file, from);
      const first = copies.at(-1);
      if (first === undefined) return 0;
      dropCopies.run(file, first.start);
      for (const { record } of copies) if (addCopies.get(-1, record) === 0) newlyThere -= 1;
      return copies.length;
    },

    clear() {
      for (const statement of clearTables) statement.run();
    },
  };
}

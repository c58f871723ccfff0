import { existsSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { type AlikeReader, alikeReader } from './alike-reader.ts';
import { type ChangeReader, changeReader } from './changes.ts';
import { type EventStore, eventStore } from './event-store.ts';
import { type GovernedStore, governedStore } from './governed-store.ts';
import { type Overview, overview } from './overview.ts';
import { recall } from './recall.ts';
import { type ReferenceReader, referenceReader } from './references.ts';
import { clearTables, configureConnection, createTables, hasThisLayout, isEmpty } from './schema.ts';
import { type ThoughtReader, thoughtReader } from './thought-reader.ts';
import { type ThoughtWriter, thoughtWriter } from './thought-writer.ts';
import { type IndexTransaction, indexTransaction } from './transaction.ts';
import type { RecallPage, RecallQuery } from './types.ts';
import { type WriterStore, writerStore } from './writer-store.ts';

/** One connection. Writing methods need an open transaction; on a read-only connection they throw. */
export interface Index
  extends IndexTransaction,
    ThoughtWriter,
    ThoughtReader,
    AlikeReader,
    EventStore,
    GovernedStore,
    WriterStore,
    ChangeReader,
    ReferenceReader,
    Overview {
  /** One page, on one snapshot. */
  recall(query: RecallQuery): RecallPage;
  /** Forgets everything, inside the caller's transaction. */
  clear(): void;
  /** Brings the write-ahead log into the file and cuts it to nothing; `false` while somebody reads. Outside a transaction. */
  truncateLog(): boolean;
  /** The files at the path are still the ones this connection has open; otherwise open again. */
  isCurrent(): boolean;
  close(): void;
}

export interface OpenIndexOptions {
  /** Path of the database; `-wal` and `-shm` lie beside it. */
  readonly file: string;
  /** @default false */
  readonly readonly?: boolean;
  /** Without, terms are left out, which is most of the work: for an index that nobody searches. @default true */
  readonly searchable?: boolean;
}

export interface OpenPastOptions {
  /** Path of an index of the record as it stood. */
  readonly file: string;
  /** Path of the present one, which the filter `stands` looks at. */
  readonly present: string;
}

/** How long opening waits for another process that creates or recovers the file. Milliseconds; afterwards 0. */
const OPENING_TIMEOUT = 1_000;

/**
 * Opens the index. Nothing in it is worth an error: for writing, a file that is damaged, foreign or of another layout
 * is deleted and made anew (empty, `indexedCommit()` is `null`), so open it under the repository's lock; for reading,
 * the same and a missing file are `'absent'`.
 */
export function openIndex(options: OpenIndexOptions & { readonly readonly: true }): Index | 'absent';
export function openIndex(options: OpenIndexOptions & { readonly readonly?: false }): Index;
export function openIndex(options: OpenIndexOptions): Index | 'absent' {
  if (options.readonly === true) return openForReading(options.file);
  try {
    return openForWriting(options);
  } catch (error) {
    if (!isIndexDamage(error)) throw error;
    removeIndex(options.file);
    return openForWriting(options);
  }
}

/** Opens an index of an earlier time to read it beside the present one. */
export function openPastIndex({ file, present }: OpenPastOptions): Index | 'absent' {
  return openForReading(file, (db) => void db.prepare('ATTACH ? AS present').run(present));
}

/** Deletes the index with its side files; connections that have it open keep a file without a name. */
export function removeIndex(file: string): void {
  // The database last: until it is gone nobody makes a new one, whose side files would be the ones deleted.
  for (const suffix of [...SIDE_FILES, '']) rmSync(file + suffix, { force: true });
}

const SIDE_FILES = ['-wal', '-shm', '-journal'] as const;

/** True for errors that mean the file is no readable index of this layout: remove it and build it again. */
export function isIndexDamage(error: unknown): boolean {
  if (error instanceof OtherLayout) return true;
  return error instanceof Database.SqliteError && /^SQLITE_(CORRUPT|NOTADB|IOERR_SHORT_READ)/.test(error.code);
}

class OtherLayout extends Error {}

function openForWriting({ file, searchable = true }: OpenIndexOptions): Index {
  if (!existsSync(file)) makeFile(file);
  const db = new Database(file, { timeout: OPENING_TIMEOUT });
  return closingOnError(db, () => {
    if (isEmpty(db)) createTables(db);
    return indexOver(db, { file, searchable });
  });
}

/**
 * Makes the file where there is none. Side files of a database that somebody deleted are in the way, and of several
 * processes that come at once one would remove those of the file another has just made: hence one at a time. The guard
 * holds no data and stays, since deleting a lock admits two.
 */
function makeFile(file: string): void {
  const guard = new Database(join(dirname(file), 'index-making.sqlite'), { timeout: OPENING_TIMEOUT });
  try {
    guard.exec('BEGIN IMMEDIATE');
    if (existsSync(file)) return;
    removeIndex(file);
    const db = new Database(file, { timeout: OPENING_TIMEOUT });
    try {
      createTables(db);
    } finally {
      db.close();
    }
  } finally {
    guard.close();
  }
}

function openForReading(file: string, prepare: (db: Database.Database) => void = () => undefined): Index | 'absent' {
  if (!existsSync(file)) return 'absent';
  try {
    const db = new Database(file, { readonly: true, fileMustExist: true, timeout: OPENING_TIMEOUT });
    return closingOnError(db, () => {
      prepare(db);
      return indexOver(db, { file, searchable: true });
    });
  } catch (error) {
    if (isIndexDamage(error) || !existsSync(file)) return 'absent';
    throw error;
  }
}

/**
 * Opens the index to look at it, leaving no file behind that was not there: `'absent'` when there is none, `'unusable'`
 * when it is damaged, of another layout, or cannot be opened.
 */
export function peekIndex(file: string): Index | 'absent' | 'unusable' {
  if (!existsSync(file)) return 'absent';
  try {
    // A reader makes the side files and leaves them. A writer removes them when it closes last; without a log beside it
    // there is nothing that its closing would bring into the file.
    const readonly = existsSync(`${file}-wal`);
    const db = new Database(file, { readonly, fileMustExist: true, timeout: OPENING_TIMEOUT });
    return closingOnError(db, () => {
      db.pragma('query_only = ON');
      return indexOver(db, { file, searchable: true });
    });
  } catch {
    return 'unusable';
  }
}

function closingOnError<T>(db: Database.Database, use: () => T): T {
  try {
    return use();
  } catch (error) {
    db.close();
    throw error;
  }
}

function indexOver(db: Database.Database, { file, searchable }: Required<Omit<OpenIndexOptions, 'readonly'>>): Index {
  assertLayout(db);
  configureConnection(db);
  const opened = identityOf(file);
  const writer = thoughtWriter(db, { searchable });
  const events = eventStore(db);
  const index: Index = {
    ...indexTransaction(db, writer.settleSupersession),
    ...writer,
    ...thoughtReader(db),
    ...alikeReader(db),
    ...events,
    ...governedStore(db, events.eventAt),
    ...writerStore(db),
    ...changeReader(db),
    ...referenceReader(db),
    ...overview(db),
    recall: recall(db),
    clear: () => clearTables(db),
    truncateLog: () => db.pragma('wal_checkpoint(TRUNCATE)', { simple: true }) === 0,
    isCurrent: () => identityOf(file) === opened,
    close: () => void db.close(),
  };
  db.pragma('busy_timeout = 0');
  return index;
}

/** Tells the database and the memory its connections share from others of the same name. */
function identityOf(file: string): string {
  const found = [file, `${file}-shm`].map((path) => statSync(path, { throwIfNoEntry: false }));
  return found.map((file) => `${file?.dev} ${file?.ino}`).join(' ');
}

function assertLayout(db: Database.Database): void {
  let isOurs: boolean;
  try {
    isOurs = hasThisLayout(db);
  } catch (error) {
    // `no such table: meta` has the general code: some other program's database.
    if (error instanceof Database.SqliteError && error.code === 'SQLITE_ERROR') throw new OtherLayout(error.message);
    throw error;
  }
  if (!isOurs) throw new OtherLayout('The index has another layout');
}

/** The file of a mirror's index: its tables, and how it is opened. No migrations: another layout is another file. */
import { closeSync, existsSync, openSync, rmSync } from 'node:fs';
import Database from 'better-sqlite3';

/** Raise it whenever a table or the order of `LINK_KINDS` changes. */
export const LAYOUT = 2;

/**
 * `record` has a row for every hash that a line has or names; `copies` is 0 for those only named. A record's facts and
 * links follow from its hash, so they stay when its last copy goes and are right when it comes back.
 *
 * Found by whole hashes: a link may name any, so any shorter key can be made to fit all that a hostile record names. A
 * `provenance` link names the first half of a hash, which has a row of its own.
 */
const TABLES = `
CREATE TABLE file (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  inode TEXT NOT NULL,
  size INTEGER NOT NULL,
  modified TEXT NOT NULL,
  read INTEGER NOT NULL,
  fingerprint BLOB NOT NULL,
  lines INTEGER NOT NULL,
  records INTEGER NOT NULL,
  skipped INTEGER NOT NULL,
  unfinished INTEGER NOT NULL
);
CREATE TABLE skip (file INTEGER, line INTEGER, code TEXT NOT NULL, message TEXT NOT NULL, PRIMARY KEY (file, line))
  WITHOUT ROWID;

CREATE TABLE text (id INTEGER PRIMARY KEY, value TEXT NOT NULL UNIQUE);
CREATE TABLE record (
  id INTEGER PRIMARY KEY,
  hash BLOB NOT NULL UNIQUE,
  copies INTEGER NOT NULL,
  time INTEGER,
  context INTEGER,
  log INTEGER
);
CREATE INDEX record_by_context ON record (context, time) WHERE context IS NOT NULL;
CREATE TABLE link (target INTEGER, kind INTEGER, time INTEGER, child INTEGER, PRIMARY KEY (target, kind, time, child))
  WITHOUT ROWID;

CREATE TABLE copy (
  file INTEGER,
  start INTEGER,
  record INTEGER NOT NULL,
  length INTEGER NOT NULL,
  sidecar INTEGER NOT NULL,
  PRIMARY KEY (file, start)
) WITHOUT ROWID;
CREATE INDEX copy_of_record ON copy (record, sidecar);

CREATE TABLE total (distinct_records INTEGER NOT NULL);
INSERT INTO total VALUES (0);
`;

export const CONTENT_TABLES = ['file', 'skip', 'text', 'record', 'link', 'copy'] as const;

const CONNECTION = `
PRAGMA synchronous = NORMAL;
PRAGMA cache_size = -65536;
PRAGMA wal_autocheckpoint = 8192;
PRAGMA journal_size_limit = 67108864;
PRAGMA temp_store = MEMORY;
`;

/** How long a statement waits for another process that opens, recovers or closes the file: moments. Milliseconds. */
const WAIT_MS = 1_000;

/** Opens the index, readable by its owner alone; a damaged or foreign file is replaced. */
export function openDatabase(file: string): Database.Database {
  try {
    return openOrMake(file);
  } catch (error) {
    if (!isDamage(error)) throw error;
    removeDatabase(file);
    return openOrMake(file);
  }
}

/** True for errors that mean the file is no index, or no longer one. */
export function isDamage(error: unknown): boolean {
  if (!(error instanceof Database.SqliteError)) return false;
  // `no such table` has the general code: somebody else's database.
  return /^SQLITE_(CORRUPT|NOTADB|IOERR_SHORT_READ|ERROR$)/.test(error.code);
}

export function isBusy(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY');
}

/** Whoever has it open keeps a file without a name. */
export function removeDatabase(file: string): void {
  // The database last: until it is gone nobody makes a new one, whose side files would be the ones deleted.
  for (const suffix of ['-wal', '-shm', '-journal', '']) rmSync(file + suffix, { force: true });
}

function openOrMake(file: string): Database.Database {
  if (!existsSync(file)) removeDatabase(file);
  // SQLite makes files that everybody may read; its side files take the mode of this one.
  closeSync(openSync(file, 'a', 0o600));
  const db = new Database(file, { timeout: WAIT_MS });
  try {
    if (isEmpty(db)) {
      db.pragma('journal_mode = WAL');
      db.transaction(() => {
        if (isEmpty(db)) db.exec(TABLES);
      }).immediate();
    }
    db.exec(CONNECTION);
    db.prepare('SELECT distinct_records FROM total').get();
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function isEmpty(db: Database.Database): boolean {
  return db.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined;
}

/** Starts writing; `false` when another process writes. Does not wait: SQLite's own wait stops the whole process. */
export function begin(db: Database.Database): boolean {
  db.pragma('busy_timeout = 0');
  try {
    db.exec('BEGIN IMMEDIATE');
    return true;
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  } finally {
    db.pragma(`busy_timeout = ${WAIT_MS}`);
  }
}

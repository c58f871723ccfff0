/** Tables of the index. No migrations: another layout is rebuilt from the blobs. */
import type { Database } from 'better-sqlite3';

/** Raise it whenever a table, a term or the folding changes. */
const LAYOUT = 8;

/** Before the first page is written; 8 KiB pages hold a body of usual size in one. */
const PAGE_SIZE = 8192;

/**
 * A rebuild's write-ahead log is cut back to 64 MiB once it is in the file: another connection may keep it for days.
 * Removed text is overwritten in the file; no cost was measured. Search terms are not, until FTS5 merges them (its own
 * `secure-delete` leaves them in a contentless table): an erasure empties the table and fills it anew.
 */
const CONNECTION = `
PRAGMA secure_delete = ON;
PRAGMA synchronous = NORMAL;
PRAGMA cache_size = -16384;
PRAGMA mmap_size = 0;
PRAGMA journal_size_limit = 67108864;
PRAGMA temp_store = MEMORY;
`;

/**
 * `thought` is slim so that filters, counts and order read little; bodies and folded text lie beside it under the same
 * key. `tally` counts its rows and `reference` says what they name, so that pages of a large record need no scan; triggers
 * keep both in step. `unindexed` and `dirty` are empty outside a transaction: see `thought-writer.ts`.
 */
const TABLES = `
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE scope (scope_id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, next_seq INTEGER NOT NULL);

CREATE TABLE thought (
  k INTEGER PRIMARY KEY,
  path TEXT NOT NULL UNIQUE,
  id TEXT NOT NULL,
  class INTEGER NOT NULL,
  scope_id INTEGER NOT NULL,
  created INTEGER NOT NULL,
  changed INTEGER NOT NULL,
  namespace TEXT NOT NULL,
  status TEXT NOT NULL,
  source_type TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  confidence REAL NOT NULL,
  project TEXT,
  branch TEXT,
  tags TEXT NOT NULL,
  valid_from INTEGER,
  valid_to INTEGER,
  due_at INTEGER,
  superseded_by TEXT,
  superseded_scope TEXT,
  superseded INTEGER NOT NULL,
  retired INTEGER NOT NULL,
  held INTEGER NOT NULL,
  reason TEXT,
  event TEXT,
  blob TEXT NOT NULL
);
CREATE INDEX thought_by_id ON thought (id);
CREATE INDEX thought_by_scope_time ON thought (class, scope_id, created, id, path);
CREATE INDEX thought_by_time ON thought (class, created, id, path);
CREATE INDEX thought_by_author ON thought (agent_id, created, id, scope_id, status)
  WHERE held = 1 AND status IN ('approved', 'rejected');
CREATE INDEX thought_by_change ON thought (class, scope_id, status, changed, agent_id);
CREATE INDEX thought_by_author_change ON thought (agent_id, changed);
CREATE INDEX thought_by_due ON thought (class, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX thought_by_successor ON thought (superseded_by) WHERE superseded_by IS NOT NULL;

CREATE TABLE tally (
  class INTEGER NOT NULL,
  scope_id INTEGER NOT NULL,
  agent_id TEXT NOT NULL,
  n INTEGER NOT NULL,
  PRIMARY KEY (class, scope_id, agent_id)
) WITHOUT ROWID;
CREATE TABLE reference (target TEXT NOT NULL, kind TEXT NOT NULL, k INTEGER NOT NULL, PRIMARY KEY (target, kind, k))
  WITHOUT ROWID;
CREATE INDEX reference_by_source ON reference (k);
CREATE TRIGGER thought_added AFTER INSERT ON thought BEGIN
  INSERT INTO tally VALUES (new.class, new.scope_id, new.agent_id, 1)
    ON CONFLICT (class, scope_id, agent_id) DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER thought_dropped AFTER DELETE ON thought BEGIN
  UPDATE tally SET n = n - 1 WHERE class = old.class AND scope_id = old.scope_id AND agent_id = old.agent_id;
  DELETE FROM tally WHERE class = old.class AND scope_id = old.scope_id AND agent_id = old.agent_id AND n = 0;
  DELETE FROM reference WHERE k = old.k;
END;
CREATE TRIGGER thought_moved AFTER UPDATE OF k, class ON thought WHEN old.k <> new.k BEGIN
  UPDATE tally SET n = n - 1 WHERE class = old.class AND scope_id = old.scope_id AND agent_id = old.agent_id;
  DELETE FROM tally WHERE class = old.class AND scope_id = old.scope_id AND agent_id = old.agent_id AND n = 0;
  INSERT INTO tally VALUES (new.class, new.scope_id, new.agent_id, 1)
    ON CONFLICT (class, scope_id, agent_id) DO UPDATE SET n = n + 1;
  UPDATE reference SET k = new.k WHERE k = old.k;
END;

CREATE TABLE body (k INTEGER PRIMARY KEY, fields TEXT NOT NULL, body TEXT NOT NULL);
CREATE TABLE hay (k INTEGER PRIMARY KEY, hay TEXT NOT NULL, boosted TEXT NOT NULL, length INTEGER NOT NULL);
CREATE TABLE alike (mark INTEGER NOT NULL, k INTEGER NOT NULL, PRIMARY KEY (mark, k)) WITHOUT ROWID;
CREATE VIRTUAL TABLE gram USING fts5 (x, content='', contentless_delete=1, detail=none, tokenize='ascii');
CREATE TABLE unindexed (k INTEGER PRIMARY KEY);
CREATE TABLE dirty (id TEXT PRIMARY KEY) WITHOUT ROWID;

CREATE TABLE problem (path TEXT PRIMARY KEY, line INTEGER NOT NULL, code TEXT NOT NULL, message TEXT NOT NULL)
  WITHOUT ROWID;
CREATE TABLE setting (path TEXT PRIMARY KEY, bytes BLOB NOT NULL) WITHOUT ROWID;

CREATE TABLE governed (path TEXT PRIMARY KEY, pos INTEGER NOT NULL, state TEXT NOT NULL, bytes BLOB) WITHOUT ROWID;

CREATE TABLE event (
  pos INTEGER PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  envelope TEXT NOT NULL,
  valid INTEGER NOT NULL,
  invalid_reason TEXT,
  role TEXT,
  said_verb TEXT,
  said_agent TEXT,
  said_role TEXT
);
CREATE TABLE event_link (
  target BLOB NOT NULL,
  kind INTEGER NOT NULL,
  time INTEGER NOT NULL,
  pos INTEGER NOT NULL,
  PRIMARY KEY (target, kind, time, pos)
) WITHOUT ROWID;
CREATE TABLE event_context (
  context_id TEXT NOT NULL,
  time INTEGER NOT NULL,
  pos INTEGER NOT NULL,
  PRIMARY KEY (context_id, time, pos)
) WITHOUT ROWID;
CREATE TABLE event_thought (id TEXT NOT NULL, pos INTEGER NOT NULL, PRIMARY KEY (id, pos)) WITHOUT ROWID;
CREATE INDEX event_thought_by_event ON event_thought (pos);
CREATE TABLE path_event (path TEXT PRIMARY KEY, pos INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE erased (id TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE custody (
  id TEXT PRIMARY KEY,
  agent_id TEXT NOT NULL,
  status TEXT NOT NULL,
  written INTEGER NOT NULL,
  quarantined INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE quarantine (pos INTEGER PRIMARY KEY, agent_id TEXT NOT NULL, since INTEGER NOT NULL, at INTEGER NOT NULL);
CREATE TABLE log_event (log TEXT PRIMARY KEY, pos INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE context_event (context_id TEXT PRIMARY KEY, pos INTEGER NOT NULL) WITHOUT ROWID;

CREATE TABLE writer (
  log TEXT PRIMARY KEY,
  agent_id TEXT NOT NULL,
  public_key TEXT NOT NULL,
  size INTEGER NOT NULL,
  last TEXT,
  peaks BLOB NOT NULL
) WITHOUT ROWID;
CREATE TABLE known_key (public_key TEXT PRIMARY KEY, log TEXT NOT NULL, since INTEGER NOT NULL, json TEXT NOT NULL)
  WITHOUT ROWID;
CREATE TABLE revocation (event TEXT PRIMARY KEY, json TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE idempotency (
  agent_id TEXT NOT NULL,
  role TEXT NOT NULL,
  key TEXT NOT NULL,
  input TEXT NOT NULL,
  answer TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (agent_id, role, key)
) WITHOUT ROWID;
CREATE INDEX idempotency_by_time ON idempotency (at);
`;

/** Settings that live with the connection. */
export function configureConnection(db: Database): void {
  db.exec(CONNECTION);
}

/** Makes the tables in an empty file, once, whoever comes first. */
export function createTables(db: Database): void {
  db.pragma(`page_size = ${PAGE_SIZE}`);
  db.pragma('journal_mode = WAL');
  db.transaction(() => {
    if (!isEmpty(db)) return;
    db.exec(TABLES);
    db.prepare(`INSERT INTO meta (key, value) VALUES ('layout', ?)`).run(String(LAYOUT));
  }).immediate();
}

export function isEmpty(db: Database): boolean {
  return db.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined;
}

/** True when the file is an index of this layout; throws SQLite's error when it is no database or no index. */
export function hasThisLayout(db: Database): boolean {
  const layout = db.prepare<[], string>(`SELECT value FROM meta WHERE key = 'layout'`).pluck().get();
  return layout === String(LAYOUT);
}

const CONTENT_TABLES = [
  'scope',
  'thought',
  'tally',
  'reference',
  'body',
  'hay',
  'alike',
  'unindexed',
  'dirty',
  'problem',
  'setting',
  'governed',
  'event',
  'event_link',
  'event_context',
  'event_thought',
  'path_event',
  'custody',
  'erased',
  'quarantine',
  'log_event',
  'context_event',
  'writer',
  'known_key',
  'revocation',
  'idempotency',
];

/** Empties every table; part of the caller's transaction. */
export function clearTables(db: Database): void {
  for (const table of CONTENT_TABLES) db.exec(`DELETE FROM ${table}`);
  db.exec(`INSERT INTO gram (gram) VALUES ('delete-all')`);
  db.exec(`DELETE FROM meta WHERE key = 'indexed_commit'`);
}

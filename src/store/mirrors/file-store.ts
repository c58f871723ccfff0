/** The files a mirror's index has read, and what of their lines it could not take in. */
import type { Database } from 'better-sqlite3';

export interface FileRow {
  readonly id: number;
  readonly name: string;
  /** What the file was like when it was read to its end; `modified` is empty as long as it was not. */
  readonly inode: string;
  readonly size: number;
  readonly modified: string;
  /** Offset up to which its lines are settled, and a digest of the bytes before it: see `fingerprint`. */
  readonly read: number;
  readonly fingerprint: Uint8Array;
  /** Lines before `read`. */
  readonly lines: number;
  readonly records: number;
  readonly skipped: number;
  /** 1 when the last line has no newline and is no record yet. */
  readonly unfinished: number;
}

export interface SkippedLine {
  /** Base name. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly code: string;
  readonly message: string;
}

export interface FileStore {
  all(): readonly FileRow[];
  /** The row of a file, made when it is new. */
  row(name: string): FileRow;
  save(row: FileRow): void;
  remove(id: number): void;
  /** Only some of each file are kept; `before` is how many there are. */
  addSkip(id: number, skip: Omit<SkippedLine, 'file'> & { readonly before: number }): void;
  dropSkips(id: number): void;
  skips(limit: number): readonly SkippedLine[];
}

const KEPT_SKIPS = 20;

export function fileStore(db: Database): FileStore {
  const all = db.prepare<[], FileRow>('SELECT * FROM file ORDER BY name');
  const named = db.prepare<[string], FileRow>('SELECT * FROM file WHERE name = ?');
  const insert = db.prepare<[string], FileRow>(
    `INSERT INTO file (name, inode, size, modified, read, fingerprint, lines, records, skipped, unfinished)
     VALUES (?, '', 0, '', 0, x'', 0, 0, 0, 0)`,
  );
  const save = db.prepare<[FileRow]>(
    `UPDATE file SET inode = @inode, size = @size, modified = @modified, read = @read, fingerprint = @fingerprint,
       lines = @lines, records = @records, skipped = @skipped, unfinished = @unfinished WHERE id = @id`,
  );
  const remove = db.prepare('DELETE FROM file WHERE id = ?');
  const addSkip = db.prepare('INSERT INTO skip (file, line, code, message) VALUES (?, ?, ?, ?)');
  const dropSkips = db.prepare('DELETE FROM skip WHERE file = ?');
  const skips = db.prepare<[number], SkippedLine>(
    `SELECT file.name AS file, line, code, message FROM skip JOIN file ON file.id = skip.file
     ORDER BY file.name, line LIMIT ?`,
  );

  return {
    all: () => all.all(),
    row(name) {
      const known = named.get(name);
      if (known !== undefined) return known;
      insert.run(name);
      const made = named.get(name);
      if (made === undefined) throw new Error('A row that was just made is missing');
      return made;
    },
    save: (row) => void save.run(row),
    remove: (id) => {
      dropSkips.run(id);
      remove.run(id);
    },
    addSkip(id, { before, line, code, message }) {
      if (before < KEPT_SKIPS) addSkip.run(id, line, code, message);
    },
    dropSkips: (id) => void dropSkips.run(id),
    skips: (limit) => skips.all(limit),
  };
}

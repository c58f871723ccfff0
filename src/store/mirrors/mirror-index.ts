/** One connection to a mirror's index. */
import type { Database } from 'better-sqlite3';
import { type FileStore, fileStore } from './file-store.ts';
import { type IndexReader, indexReader } from './index-reader.ts';
import { type IndexWriter, indexWriter } from './index-writer.ts';
import { openDatabase } from './schema.ts';

export interface MirrorIndex {
  readonly db: Database;
  readonly files: FileStore;
  readonly reader: IndexReader;
  readonly writer: IndexWriter;
}

/** Opens or makes it; see `openDatabase`. */
export function openMirrorIndex(file: string): MirrorIndex {
  const db = openDatabase(file);
  return { db, files: fileStore(db), reader: indexReader(db), writer: indexWriter(db) };
}

/** Where the index of a mirror is kept, and its opening there. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import Database from 'better-sqlite3';
import { sha256 } from '../../ledger/hash.ts';
import { errnoOf } from '../../record/errno.ts';
import type { MirrorPlace } from './list-files.ts';
import { type MirrorIndex, openMirrorIndex } from './mirror-index.ts';
import { LAYOUT } from './schema.ts';

export interface OpenedIndex extends MirrorIndex {
  readonly file: string;
  /** Why it is not kept, a sentence; `null` when it is. */
  readonly warning: string | null;
  close(): void;
}

/** Opens the index of the mirror in the cache folder, or a temporary one where that cannot be written. */
export function openIndex(place: MirrorPlace, cacheFolder: string): OpenedIndex {
  try {
    const file = indexFile(place, cacheFolder);
    const index = openMirrorIndex(file);
    return { ...index, file, warning: null, close: () => void index.db.close() };
  } catch (error) {
    if (!isUnwritable(error)) throw error;
    return openTemporaryIndex(error);
  }
}

/** An index of this process alone, gone when it is closed. */
export function openTemporaryIndex(cause: unknown): OpenedIndex {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-mirror-'));
  const file = join(folder, 'mirror.sqlite');
  const index = openMirrorIndex(file);
  const warning = `The index of the mirror cannot be kept (${errnoOf(cause)}): every process reads the whole mirror`;
  function close(): void {
    index.db.close();
    rmSync(folder, { recursive: true, force: true });
  }
  return { ...index, file, warning, close };
}

/** A full or read-only disk, missing permissions, something else in the place of the folder or file. */
export function isUnwritable(error: unknown): boolean {
  if (error instanceof Database.SqliteError) return /^SQLITE_(CANTOPEN|READONLY|FULL|IOERR|PERM)/.test(error.code);
  return /^E[A-Z]+$/.test(errnoOf(error) ?? '');
}

/** One index for each mirror and layout, whatever way leads to it. */
function indexFile(place: MirrorPlace, cacheFolder: string): string {
  mkdirSync(cacheFolder, { recursive: true, mode: 0o700 });
  const digest = Buffer.from(sha256(Buffer.from(realPathOf(place.file ?? place.folder)))).toString('hex');
  return join(cacheFolder, `mirror-${LAYOUT}-${digest.slice(0, 32)}.sqlite`);
}

/** Of a place that is not there yet, what it is called. */
function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

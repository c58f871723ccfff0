/** Where the index of a mirror is kept, and its opening there. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import Database from 'better-sqlite3';
import { sha256 } from '../../ledger/hash.ts';
import { errnoOf } from '../../record/errno.ts';
import type { MirrorPlace } from './list-files.ts';
import { type MirrorIndex, openMirrorIndex } from './mirror-index.ts';
import { LAYOUT, removeDatabase } from './schema.ts';

export interface OpenedIndex extends MirrorIndex {
  /** Why it is not kept, a sentence; `null` when it is. */
  readonly warning: string | null;
  /** `false` when somebody removed or replaced the file: others would use another one. */
  isCurrent(): boolean;
  close(): void;
  /** Closes it and removes the file, unless that is another one by now. */
  discard(): void;
}

/** Opens the index of the mirror in the cache folder, or a temporary one where that cannot be written. */
export function openIndex(place: MirrorPlace, cacheFolder: string): OpenedIndex {
  try {
    const file = indexFile(place, cacheFolder);
    return opened(file, null);
  } catch (error) {
    if (!isUnwritable(error)) throw error;
    return openTemporaryIndex(error);
  }
}

/** An index of this process alone, gone when it is closed. */
export function openTemporaryIndex(cause: unknown): OpenedIndex {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-mirror-'));
  const warning = `The index of the mirror cannot be kept (${errnoOf(cause)}): every process reads the whole mirror`;
  const index = opened(join(folder, 'mirror.sqlite'), warning);
  function close(): void {
    index.close();
    rmSync(folder, { recursive: true, force: true });
  }
  return { ...index, close, discard: close };
}

function opened(file: string, warning: string | null): OpenedIndex {
  const index = openMirrorIndex(file);
  const made = inodeOf(file);
  const isCurrent = () => inodeOf(file) === made;
  const close = () => void index.db.close();
  function discard(): void {
    const isOurs = isCurrent();
    close();
    if (isOurs) removeDatabase(file);
  }
  return { ...index, warning, isCurrent, close, discard };
}

function inodeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.ino;
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

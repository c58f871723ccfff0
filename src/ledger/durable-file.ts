/** Small private files that are whole or absent, also after power loss. */
import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { errnoOf } from '../record/errno.ts';

/** Suffix of files still being written; readers of a folder pass over them. */
export const UNFINISHED = '.tmp';

/** Replaces `file` in one step: temporary file, fsync, rename, fsync of the folder. Mode 0600, folder 0700. */
export function replaceFile(file: string, text: string): void {
  const temporary = writeTemporary(file, text);
  try {
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  syncFolder(dirname(file));
}

/** Creates `file` whole; false, and nothing changed, when another process created it first. */
export function createFile(file: string, text: string): boolean {
  const temporary = writeTemporary(file, text);
  try {
    // A link fails when the name is taken, where a rename would replace it.
    linkSync(temporary, file);
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
  syncFolder(dirname(file));
  return true;
}

/**
 * Puts `next` in the place of `file`, which is kept as `aside`. At every moment `file` is there and whole; `false` when
 * another process was first.
 */
export function takePlace(file: string, paths: { readonly next: string; readonly aside: string | null }): boolean {
  try {
    if (paths.aside !== null) linkSync(file, paths.aside);
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
  try {
    renameSync(paths.next, file);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false;
    throw error;
  }
  syncFolder(dirname(file));
  return true;
}

function writeTemporary(file: string, text: string): string {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const temporary = `${file}.${process.pid}.${randomBytes(6).toString('hex')}${UNFINISHED}`;
  const handle = openSync(temporary, 'wx', 0o600);
  try {
    writeFileSync(handle, text);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  return temporary;
}

function syncFolder(folder: string): void {
  // Windows cannot open a folder; its rename is durable by itself.
  if (process.platform === 'win32') return;
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

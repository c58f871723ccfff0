/** A result file: whole or not there, never over another one. */
import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, linkSync, openSync, rmSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { errnoOf } from '../record/errno.ts';
import { type Refusal, refuse } from '../record/outcome.ts';

/** Why there is no new file. */
function notWritten(file: string, errno: string): Refusal {
  return errno === 'EEXIST'
    ? refuse('conflict', `"${file}" is there already`, { next: 'Name a file that is not there' })
    : refuse('storage', `"${file}" cannot be written: ${errno}`, { next: 'Name a file in a folder you may write' });
}

/** Readable by the owner alone. `null` when it is written; code `conflict` when there is a file, else `storage`. */
export function writeNewFile(file: string, bytes: Uint8Array): Refusal | null {
  const temporary = join(dirname(file), `.${basename(file)}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    writeDurably(openSync(temporary, 'wx', 0o600), bytes);
    // Unlike a rename, a link fails when the name was taken meanwhile.
    linkSync(temporary, file);
    return null;
  } catch (error) {
    const code = errnoOf(error);
    if (code === undefined) throw error;
    return notWritten(file, code);
  } finally {
    // Below a file that is no folder there is nothing to remove.
    if (existsSync(temporary)) rmSync(temporary);
  }
}

function writeDurably(fd: number, bytes: Uint8Array): void {
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

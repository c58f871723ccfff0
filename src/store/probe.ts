/** What a probe asks of folders. It leaves nothing behind and touches no file of the record. */
import { randomBytes } from 'node:crypto';
import { mkdir, open, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf } from '../record/errno.ts';

/** `missing` only when nothing is there; a file, or what cannot be looked at, is `unreadable`. */
export async function folderState(folder: string): Promise<'there' | 'missing' | 'unreadable'> {
  try {
    return (await stat(folder)).isDirectory() ? 'there' : 'unreadable';
  } catch (error) {
    return errnoOf(error) === 'ENOENT' ? 'missing' : 'unreadable';
  }
}

/** Bytes that may still be written where `folder` lies. */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/** Writes a few bytes to a file of its own in `folder`, which is made when missing, as the first write would; flushes, removes. */
export async function canWriteIn(folder: string): Promise<boolean> {
  const file = join(folder, `.probe-${process.pid}-${randomBytes(6).toString('hex')}`);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const handle = await open(file, 'wx', 0o600);
    try {
      await handle.writeFile('probe\n');
      await handle.sync();
    } finally {
      await handle.close();
    }
    return true;
  } catch {
    return false;
  } finally {
    await rm(file, { force: true }).catch(() => undefined);
  }
}

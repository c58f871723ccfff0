/** Files that are whole or absent after a crash: written aside, flushed, renamed, folder flushed. */
import { randomBytes } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

export interface StageOptions {
  /** Folder on the same file system; made when missing. Never the target's own folder: a reader may list that. */
  readonly temporary: string;
  /** @default 0o666 less the umask */
  readonly mode?: number;
}

/** Writes and flushes bytes to a new file in `temporary` and returns its path, ready to be renamed. */
export async function stageFile(bytes: Uint8Array, options: StageOptions): Promise<string> {
  await mkdir(options.temporary, { recursive: true, mode: 0o700 });
  const staged = join(options.temporary, `${process.pid}-${randomBytes(8).toString('hex')}`);
  const file = await open(staged, 'wx', options.mode ?? 0o666);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } catch (error) {
    await rm(staged, { force: true });
    throw error;
  } finally {
    await file.close();
  }
  return staged;
}

/** Replaces `file` by `bytes`: afterwards it holds all of them, before it what it held. Survives power loss. */
export async function writeDurableFile(file: string, bytes: Uint8Array, options: StageOptions): Promise<void> {
  const staged = await stageFile(bytes, options);
  try {
    await rename(staged, file);
  } catch (error) {
    await rm(staged, { force: true });
    throw error;
  }
  await syncFolder(dirname(file));
}

/** Flushes a folder's entries, without which a rename may be undone by a power cut. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open a folder; NTFS journals renames itself.
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

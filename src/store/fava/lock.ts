/**
 * FAVA's own lock: an exclusive `flock` on a file in `.jj` (fava.md 3.6), which it never waits for.
 *
 * Node has no flock, so the program of util-linux or BusyBox holds it in a child that ends with its input, and so with
 * this process. Where there is no such program the lock is not looked at (docs/limits.md).
 */
import { spawn } from 'node:child_process';
import { lstatSync } from 'node:fs';
import { join, parse } from 'node:path';
import { searchedFolders } from '../git/environment.ts';

const LOCK_FILE = join('.jj', 'fava-governance.lock');

export type FavaLock =
  | { readonly held: true; release(): Promise<void> }
  /** Another process holds it. */
  | { readonly held: false };

const NOTHING_TO_HOLD: FavaLock = { held: true, release: async () => undefined };

export interface FavaLockOptions {
  /** Only look: a lock file that is not there is not made. */
  readonly create: boolean;
}

/**
 * Takes the lock at once or says that it is taken. Without a folder `.jj` there is none to take, and what is no regular
 * file is no lock of FAVA's: opening a pipe waits for ever, and through a link a file is made elsewhere.
 */
export async function holdFavaLock(root: string, { create }: FavaLockOptions): Promise<FavaLock> {
  const file = join(root, LOCK_FILE);
  if (look(join(root, '.jj'))?.isDirectory() !== true) return NOTHING_TO_HOLD;
  if (look(file)?.isFile() ?? create) return hold(file);
  return NOTHING_TO_HOLD;
}

async function hold(file: string): Promise<FavaLock> {
  // The first byte of output says that the lock is held.
  const child = spawn('flock', ['-n', '-x', file, 'sh', '-c', 'echo; exec cat'], {
    stdio: ['pipe', 'pipe', 'ignore'],
    cwd: parse(file).root,
    env: searchedFolders(process.env),
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  child.stdin.on('error', () => undefined);
  const outcome = await new Promise<'held' | 'taken' | 'missing'>((resolve) => {
    child.once('error', () => resolve('missing'));
    child.stdout.once('data', () => resolve('held'));
    void ended.then(() => resolve('taken'));
  });
  if (outcome === 'missing') return NOTHING_TO_HOLD;
  if (outcome === 'taken') return { held: false };
  return {
    held: true,
    async release() {
      child.stdin.end();
      await ended;
    },
  };
}

/** `undefined` when nothing is there; a link is what it is. */
function look(path: string) {
  return lstatSync(path, { throwIfNoEntry: false });
}

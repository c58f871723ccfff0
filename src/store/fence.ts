/**
 * The fence: before a successor acts, the children of a dead writer are gone and so are the lock files they left.
 *
 * Rule for lock files. A path named in `lockFiles` is removed only when the dead writer had children, all of them are
 * gone, and the file stayed the same file (inode and time of change) for LOCK_WATCH_MS after that. Git holds a ref
 * lock for single milliseconds, so one that does not move for that long has no living owner; a lock that a person's
 * git takes or gives back meanwhile is another file and is left alone. Lock files that git may hold for long (the
 * index during `git commit -a`) must not be named.
 */
import { rm, stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { errnoOf } from '../record/errno.ts';
import { isRunning } from './process-id.ts';
import type { ChildProcessId } from './version-store.ts';

export interface FenceOptions {
  /** Milliseconds the children have to finish by themselves. @default 500 */
  readonly graceMs?: number;
  /** Absolute paths of short-lived lock files the children may have left. @default [] */
  readonly lockFiles?: readonly string[];
}

const POLL_MS = 5;
const LOCK_WATCH_MS = 250;
/** A process in uninterruptible sleep outlives SIGKILL for a while; past this the writer must not go on. */
const KILL_WAIT_MS = 5_000;

/**
 * Waits until the children are gone, ends those that stay, then removes the lock files they left. A child without a
 * start time cannot be told from a stranger with its pid: it is waited for and never ended. Throws when a child
 * survives SIGKILL.
 */
export async function fenceChildren(children: readonly ChildProcessId[], options: FenceOptions = {}): Promise<void> {
  if (children.length === 0) return;
  await Promise.all(children.map((child) => awaitEnd(child, options.graceMs ?? 500)));
  const left = await Promise.all((options.lockFiles ?? []).map(identify));
  if (left.every((file) => file === null)) return;
  await delay(LOCK_WATCH_MS);
  for (const file of left) {
    if (file === null) continue;
    const now = await identify(file.path);
    if (now?.identity === file.identity) await rm(file.path, { force: true });
  }
}

async function awaitEnd(child: ChildProcessId, graceMs: number): Promise<void> {
  if (await isGoneWithin(child, graceMs)) return;
  if (child.started === 0) return;
  try {
    process.kill(child.pid, 'SIGKILL');
  } catch (error) {
    // It ended between the look and the signal.
    if (errnoOf(error) !== 'ESRCH') throw error;
  }
  if (await isGoneWithin(child, KILL_WAIT_MS)) return;
  throw new Error(`Process ${child.pid} of an earlier writer does not end: end it by hand and try again`);
}

async function isGoneWithin(child: ChildProcessId, milliseconds: number): Promise<boolean> {
  const deadline = performance.now() + milliseconds;
  while (isRunning(child)) {
    if (performance.now() >= deadline) return false;
    await delay(POLL_MS);
  }
  return true;
}

async function identify(path: string): Promise<{ readonly path: string; readonly identity: string } | null> {
  try {
    const { ino, mtimeMs, ctimeMs } = await stat(path);
    return { path, identity: `${ino} ${mtimeMs} ${ctimeMs}` };
  } catch {
    return null;
  }
}

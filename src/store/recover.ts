/**
 * Recovery: what a dead writer had begun is finished or was never acknowledged. It only rolls forward.
 *
 * Rule. Publishing the intent again is how to find out, since it is idempotent (git: the intent decides the commit ids;
 * jj: it decides the blobs): it puts the commits on a branch that is still at the parent, and answers ok when they are in
 * the branch's history already. Only when the branch went elsewhere are they dropped. Either way the paths are then made
 * what the branch has now, which may be newer than the intent; see `restoreFiles`.
 */
import { rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fenceChildren } from './fence.ts';
import { locateRepository, refLockFiles } from './git/repository.ts';
import { assertUntrackedState } from './git/tracked-state.ts';
import { type Intent, readIntent, removeIntent } from './intent.ts';
import { restoreFiles } from './restore-files.ts';
import type { VersionStore } from './version-store.ts';

export interface RecoverOptions {
  readonly store: VersionStore;
  /** The `.waymark` folder of the repository. */
  readonly dir: string;
  /** @default no logging */
  readonly logger?: { warn(details: object, message: string): void };
}

export type Recovery = 'none' | 'rolled_forward' | 'dropped';

/**
 * Deals with the intent a dead writer left. Call it under the writer lock. Throws when the commits cannot be made (full
 * disk, broken repository); the intent then stays for the next try. A damaged intent is set aside, named in the log.
 */
export async function recoverIntent(options: RecoverOptions): Promise<Recovery> {
  const { store, dir } = options;
  const read = await readIntent(dir);
  if (read === null) return 'none';
  const root = dirname(dir);
  // What a stranger put there would be committed as ours.
  assertUntrackedState(root);
  if (!read.ok) {
    const kept = `${read.file}.damaged-${Date.now()}`;
    await rename(read.file, kept);
    options.logger?.warn({ file: kept }, `${read.message}; it was set aside, and what it held was never acknowledged`);
    return 'dropped';
  }
  await fenceChildren(read.intent.children, { lockFiles: await lockFilesOf(store, root) });
  const isPublished = await publishAgain(store, read.intent);
  await restoreFiles(root, read.intent.changes, store);
  await removeIntent(dir);
  return isPublished ? 'rolled_forward' : 'dropped';
}

async function publishAgain(store: VersionStore, intent: Intent): Promise<boolean> {
  // Written for another branch or store: what it held can be on this branch no more.
  if (intent.branch !== store.branch || intent.kind !== store.kind) return false;
  const published = await store.publish(intent.changes);
  if (published.ok) return true;
  if (published.code === 'moved') return false;
  throw new Error(`Cannot finish the write that was cut off: ${published.message}`);
}

async function lockFilesOf(store: VersionStore, root: string): Promise<readonly string[]> {
  if (store.kind !== 'git') return [];
  const located = await locateRepository(root);
  return located.ok ? refLockFiles(located.value, store.branch) : [];
}

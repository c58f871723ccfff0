/** Files of the working tree that differ from what is committed, whoever left them so. */
import type { BlobId, CommitId, VersionStore } from '../version-store.ts';
import { git } from './commit-graph.ts';
import { locateRepository } from './repository.ts';
import { isWorkingFile } from './working-files.ts';

export interface DirtyOptions {
  readonly root: string;
  readonly store: Pick<VersionStore, 'list'>;
  /** The commit to compare with. */
  readonly head: CommitId;
  /** Repository paths of files and folders to look at. */
  readonly within: readonly string[];
}

/**
 * Paths below `within` that were edited, added or removed and not committed, sorted. Ignored files do not count. Writes
 * nothing, git's own index included.
 */
export async function dirtyPaths(options: DirtyOptions): Promise<readonly string[]> {
  const { root, store, head, within } = options;
  const located = await locateRepository(root);
  if (!located.ok) throw new Error(located.message);
  const args = ['status', '--porcelain', '-z', '--no-renames', '--untracked-files=all', '--', ...within];
  const { stdout } = await git(located.value, args);
  // `XY path` NUL
  const named = stdout.toString('utf8').split('\0');
  const paths = [...new Set(named.filter((entry) => entry.length > 3).map((entry) => entry.slice(3)))].sort();
  if (paths.length === 0) return [];
  // git compares with its own index too, which may be a second behind a save: what counts is the commit.
  const committed = new Map<string, BlobId>();
  for (const prefix of within) for (const { path, blob } of await store.list(head, prefix)) committed.set(path, blob);
  const dirty: string[] = [];
  for (const path of paths) if (!(await isWorkingFile(root, path, committed.get(path) ?? null))) dirty.push(path);
  return dirty;
}

/** Files of the working tree that differ from what is committed, whoever left them so. */
import type { BlobId, CommitId, VersionStore } from '../version-store.ts';
import { git } from './commit-graph.ts';
import type { GitLocation } from './environment.ts';
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
  // A submodule is no file of the record, and looking into one runs git with the settings that lie there.
  const wanted = ['--no-renames', '--untracked-files=all', '--ignore-submodules=all'];
  const args = ['status', '--porcelain', '-z', ...wanted, '--', ...within];
  const { stdout } = await git(located.value, args, { environment: await withoutFilters(located.value) });
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

/**
 * Variables that empty every filter of the repository's configuration. `status` would start what they name, and what
 * counts is the bytes that lie there, not what a filter makes of them.
 */
async function withoutFilters(location: GitLocation): Promise<Record<string, string>> {
  const args = ['config', '--null', '--name-only', '--get-regexp', String.raw`^filter\..+\.[a-z]+$`];
  const { stdout } = await git(location, args, { exitCodes: [0, 1] });
  const names = stdout.toString('utf8').split('\0').filter(Boolean);
  const drivers = [...new Set(names.map((name) => name.slice(0, name.lastIndexOf('.'))))];
  const settings = drivers.flatMap((driver) => [
    ...['clean', 'smudge', 'process'].map((key) => [`${driver}.${key}`, ''] as const),
    [`${driver}.required`, 'false'] as const,
  ]);
  const variables = settings.flatMap(([name, value], at) => [
    [`GIT_CONFIG_KEY_${at}`, name],
    [`GIT_CONFIG_VALUE_${at}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(settings.length), ...Object.fromEntries(variables) };
}

/** The environment git runs in: built, never inherited, so that no person's settings change what Waymark does. */
import { devNull } from 'node:os';
import { delimiter, dirname, isAbsolute } from 'node:path';

/** Needed to find and start git and to place its temporary files; everything else is left out. */
const KEPT = ['TMPDIR', 'TMP', 'TEMP', 'SystemRoot'];
/** Lists of folders in which a loader looks for what it starts. */
const SEARCHED = ['PATH', 'LD_LIBRARY_PATH'];

/** The variables of `base` that git needs, and those that shut out user and system settings. */
export function gitEnvironment(base: NodeJS.ProcessEnv): Record<string, string> {
  const environment: Record<string, string> = {
    LC_ALL: 'C',
    GIT_CONFIG_GLOBAL: devNull,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    // Reading must not take index.lock from under a person's command.
    GIT_OPTIONAL_LOCKS: '0',
    // A replace ref would show another object under a signed digest.
    GIT_NO_REPLACE_OBJECTS: '1',
    // Nor would a graft show other parents: only what is committed is history.
    GIT_GRAFT_FILE: devNull,
    // No transport at all, whatever `protocol.*` the repository sets: a missing object would else start its helper.
    GIT_ALLOW_PROTOCOL: '',
    // For reflogs only; commits name their author themselves.
    GIT_COMMITTER_NAME: 'Waymark',
    GIT_COMMITTER_EMAIL: 'waymark@localhost',
  };
  for (const name of KEPT) {
    const value = base[name];
    if (value !== undefined) environment[name] = value;
  }
  return { ...environment, ...searchedFolders(base) };
}

/**
 * The variables of `base` by which programs and their libraries are found, absolute folders only: git runs in the
 * repository, where an empty or relative entry would mean a program that somebody committed.
 */
export function searchedFolders(base: NodeJS.ProcessEnv): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of SEARCHED) {
    const folders = (base[name] ?? '').split(delimiter).filter((folder) => isAbsolute(folder));
    if (folders.length > 0) found[name] = folders.join(delimiter);
  }
  return found;
}

/** Where a repository is. In a linked worktree `gitDir` and `commonDir` differ. Absolute, real paths. */
export interface GitLocation {
  readonly root: string;
  /** HEAD and the index. */
  readonly gitDir: string;
  /** Refs, objects and settings. */
  readonly commonDir: string;
}

/**
 * Settings that outrank the repository's own. The repository is named outright: if it is broken, git would otherwise
 * go on looking in the folders above and commit into a stranger's.
 */
export function gitArguments(location: Pick<GitLocation, 'root' | 'gitDir'>): readonly string[] {
  return [`--git-dir=${location.gitDir}`, `--work-tree=${location.root}`, ...settings(location.root)];
}

/** As `gitArguments`, for the commands that look whether there is a repository at `root`. */
export function discoveryArguments(root: string): readonly string[] {
  return settings(root);
}

/** Keeps discovery from looking above `root`. */
export function discoveryEnvironment(base: NodeJS.ProcessEnv, root: string): Record<string, string> {
  return { ...gitEnvironment(base), GIT_CEILING_DIRECTORIES: dirname(root) };
}

function settings(root: string): readonly string[] {
  const values: Readonly<Record<string, string>> = {
    'safe.directory': root,
    'core.hooksPath': devNull,
    'core.fsmonitor': 'false',
    'core.autocrlf': 'false',
    'core.quotePath': 'false',
    'core.fsync': 'all',
    // A person's `git commit` holds the branch's lock for milliseconds.
    'core.filesRefLockTimeout': '500',
    'commit.gpgSign': 'false',
    'init.templateDir': '',
    'gc.auto': '0',
    'maintenance.auto': 'false',
    // Nothing here may reach the network, not even to fill a partial clone.
    'protocol.allow': 'never',
    // `git log` would start the repository's `gpg.program`, and leave out the commits these hide.
    'log.showSignature': 'false',
    'log.showRoot': 'true',
    'log.follow': 'false',
    // A pack for each checkpoint: durable and faster than exploding it into loose objects.
    'fastimport.unpackLimit': '1',
  };
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

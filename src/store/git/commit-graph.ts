/** Questions about commits and their trees, each one short git command. */
import type { BlobId, CommitId, RawChange, TreeEntry } from '../version-store.ts';
import { type GitLocation, gitArguments } from './environment.ts';
import { GitError, type RunGitOptions, runGit } from './run-git.ts';

/** Runs git in the repository. Throws `GitError`. */
export function git(location: GitLocation, args: readonly string[], options: Omit<RunGitOptions, 'cwd'> = {}) {
  return runGit([...gitArguments(location), ...args], { ...options, cwd: location.root });
}

/** Whether `ancestor` is `descendant` or in its history; a commit the repository does not have is in none. */
export async function contains(location: GitLocation, ancestor: CommitId, descendant: CommitId): Promise<boolean> {
  if (ancestor === descendant) return true;
  const exitCodes = [0, 1, 128];
  const { code, stderr } = await git(location, ['merge-base', '--is-ancestor', ancestor, descendant], { exitCodes });
  if (code !== 128) return code === 0;
  const known = await git(location, ['cat-file', '-e', `${ancestor}^{commit}`], { exitCodes });
  if (known.code !== 0) return false;
  throw new GitError('exit', `git merge-base ended with 128: ${stderr}`);
}

/** Whether git lacks older commits on purpose (`git clone --depth`). */
export async function isShallow(location: GitLocation): Promise<boolean> {
  const { stdout } = await git(location, ['rev-parse', '--is-shallow-repository']);
  return stdout.toString().trim() === 'true';
}

/** Commits reachable from `to` and not from `from`. */
export async function countCommits(location: GitLocation, from: CommitId | null, to: CommitId): Promise<number> {
  const { stdout } = await git(location, ['rev-list', '--count', to, ...(from === null ? [] : ['--not', from])]);
  return Number(stdout.toString());
}

/** Every path that differs between two commits. */
export async function diffTrees(location: GitLocation, from: CommitId, to: CommitId): Promise<readonly RawChange[]> {
  const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-abbrev', from, to];
  const { stdout } = await git(location, args);
  return parseRawChanges(stdout);
}

/** As {@link parseRawFields}, of the whole output. */
export function parseRawChanges(output: Buffer): readonly RawChange[] {
  return parseRawFields(output.toString('utf8').split('\0'));
}

/** Parses the fields of `--raw -z`: `:mode mode blob blob letter NUL path NUL`. Unmerged paths are left out. */
export function parseRawFields(fields: readonly string[]): readonly RawChange[] {
  const changes: RawChange[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [modeBefore = '', modeAfter = '', blobBefore = '', blobAfter = '', letter] = (fields[at] ?? '')
      .slice(1)
      .split(' ');
    if (letter === 'U') continue;
    changes.push({
      path: fields[at + 1] ?? '',
      before: side(modeBefore, blobBefore),
      after: side(modeAfter, blobAfter),
    });
  }
  return changes;
}

/** The files of a commit under `prefix`, a folder with or without its closing slash, or one path; '' for all. */
export async function listTree(location: GitLocation, commit: CommitId, prefix: string): Promise<readonly TreeEntry[]> {
  const paths = prefix === '' ? [] : ['--', prefix];
  const { stdout } = await git(location, ['ls-tree', '-r', '-l', '-z', '--full-tree', commit, ...paths]);
  const entries: TreeEntry[] = [];
  for (const line of stdout.toString('utf8').split('\0')) {
    const tab = line.indexOf('\t');
    if (tab < 0) continue;
    const [mode = '', , blob = '', size = ''] = line.slice(0, tab).split(/ +/);
    // A submodule has no size here.
    entries.push({ path: line.slice(tab + 1), blob, mode, size: size === '-' ? 0 : Number(size) });
  }
  return entries;
}

function side(mode: string, blob: BlobId): RawChange['before'] {
  return mode === '000000' ? null : { mode, blob };
}

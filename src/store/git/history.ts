/** Points in the branch's history: by name, by time, by what they brought. */
import type { CommitId } from '../version-store.ts';
import { git } from './commit-graph.ts';
import type { GitLocation } from './environment.ts';

/** Shortest prefix of a commit id that git takes for one. */
const COMMIT_NAME = /^[0-9a-f]{4,40}$/;
const UNKNOWN = [0, 1, 128];

/** The commits that `head` leads back to. */
export interface History {
  readonly location: GitLocation;
  readonly head: CommitId;
}

/** Back to the first of 100,000 commits took a minute with cold files on a busy machine, and seconds with warm ones. */
const WHOLE_HISTORY_MS = 10 * 60_000;

/** The commit of that id or unambiguous prefix of it, in lower-case hex; `null` when the history has none. */
export async function findCommit({ location, head }: History, name: string): Promise<CommitId | null> {
  if (!COMMIT_NAME.test(name)) return null;
  const exitCodes = UNKNOWN;
  // A name of hex digits alone may also be a branch or tag: the object's name must start with it.
  const { code, stdout } = await git(location, ['rev-parse', '--verify', '--quiet', `${name}^{commit}`], { exitCodes });
  const commit = stdout.toString().trim();
  if (code !== 0 || !commit.startsWith(name)) return null;
  const { code: other } = await git(location, ['merge-base', '--is-ancestor', commit, head], { exitCodes });
  return other === 0 ? commit : null;
}

/** The newest commit that was made at or before `time` (Unix milliseconds); `null` when none was. */
export async function commitAt({ location, head }: History, time: number): Promise<CommitId | null> {
  // Not --before, which takes second 0 for no limit at all.
  const { stdout } = await git(location, ['rev-list', '-1', `--min-age=${Math.floor(time / 1000)}`, head]);
  return stdout.toString().trim() || null;
}

/** The newest commit that added `path`, `null` when none did. Reads the history until it finds it. */
export async function commitThatAdded(history: History, path: string): Promise<CommitId | null> {
  const [newest] = await commitsThatAdded(history, { path, limit: 1 });
  return newest ?? null;
}

/** The newest `limit` commits that added `path`, newest first; several when it was removed in between. */
export async function commitsThatAdded(
  { location, head }: History,
  { path, limit }: { readonly path: string; readonly limit: number },
): Promise<readonly CommitId[]> {
  const wanted = ['--format=%H', '--diff-filter=A', '--no-renames', `--max-count=${limit}`];
  const args = ['log', ...wanted, head, '--', `:(literal)${path}`];
  const { stdout } = await git(location, args, { timeoutMs: WHOLE_HISTORY_MS });
  return stdout.toString().split('\n').filter(Boolean);
}

/** Points in the branch's history: by name, by time, by what they brought. */
import type { CommitId } from '../version-store.ts';
import { git } from './commit-graph.ts';
import type { GitLocation } from './environment.ts';

/** Shortest prefix of a commit id that git takes for one. */
const COMMIT_NAME = /^[0-9a-f]{4,40}$/;
const UNKNOWN = [0, 1, 128];
/** Back to the first of 100,000 commits took a minute with cold files on a busy machine, and seconds with warm ones. */
const WHOLE_HISTORY_MS = 10 * 60_000;

/** The commit of that id or unambiguous prefix of it, in lower-case hex; `null` when `head`'s history has none. */
export async function findCommit(location: GitLocation, head: CommitId, name: string): Promise<CommitId | null> {
  if (!COMMIT_NAME.test(name)) return null;
  const exitCodes = UNKNOWN;
  // A name of hex digits alone may also be a branch or tag: the object's name must start with it.
  const { code, stdout } = await git(location, ['rev-parse', '--verify', '--quiet', `${name}^{commit}`], { exitCodes });
  const commit = stdout.toString().trim();
  if (code !== 0 || !commit.startsWith(name)) return null;
  const { code: other } = await git(location, ['merge-base', '--is-ancestor', commit, head], { exitCodes });
  return other === 0 ? commit : null;
}

/** The newest commit of `head`'s history that was made at or before `time` (Unix milliseconds); `null` when none was. */
export async function commitAt(location: GitLocation, head: CommitId, time: number): Promise<CommitId | null> {
  // Not --before, which takes second 0 for no limit at all.
  const { stdout } = await git(location, ['rev-list', '-1', `--min-age=${Math.floor(time / 1000)}`, head]);
  return stdout.toString().trim() || null;
}

/** The newest commit of `head`'s history that added `path`, `null` when none did. Reads the history until it finds it. */
export async function commitThatAdded(location: GitLocation, head: CommitId, path: string): Promise<CommitId | null> {
  const [newest] = await commitsThatAdded(location, head, { path, limit: 1 });
  return newest ?? null;
}

/** The newest `limit` commits that added `path`, newest first; several when it was removed in between. */
export async function commitsThatAdded(
  location: GitLocation,
  head: CommitId,
  { path, limit }: { readonly path: string; readonly limit: number },
): Promise<readonly CommitId[]> {
  const wanted = ['--format=%H', '--diff-filter=A', '--no-renames', `--max-count=${limit}`];
  const { stdout } = await git(location, ['log', ...wanted, head, '--', `:(literal)${path}`], {
    timeoutMs: WHOLE_HISTORY_MS,
  });
  return stdout.toString().split('\n').filter(Boolean);
}

/** What of a repository still leads to earlier versions of files. Clones and exports are nowhere known. */
import type { CommitId } from '../version-store.ts';
import { git } from './commit-graph.ts';
import type { GitLocation } from './environment.ts';
import { locateRepository } from './repository.ts';

export interface TextHolders {
  /** Commits that wrote a version of a file, oldest first; later ones hold it until the next. */
  readonly commits: readonly CommitId[];
  /** Full names of refs whose history has one of them. */
  readonly refs: readonly string[];
  /** How many of them only reflogs and stashes lead to. */
  readonly unreferenced: number;
  /** Names of remotes that may have been sent them. */
  readonly remotes: readonly string[];
}

const NOBODY: TextHolders = { commits: [], refs: [], unreferenced: 0, remotes: [] };
/** Commits that refs are asked about: whatever leads to a later one leads to the first. */
const MOST_ASKED = 500;
/** Of 100,000 commits, with cold files on a busy machine. */
const WHOLE_HISTORY_MS = 10 * 60_000;

export async function textHolders(root: string, paths: readonly string[]): Promise<TextHolders> {
  const located = await locateRepository(root);
  if (!located.ok || paths.length === 0) return NOBODY;
  const location = located.value;
  const files = paths.map((path) => `:(literal)${path}`);
  const written = (...from: readonly string[]) =>
    lines(location, ['log', '--format=%H', '--no-renames', '--diff-filter=AM', '--reverse', ...from, '--', ...files]);
  const reachable = await written('--all');
  const commits = await written('--all', '--reflog');
  const holding = reachable.slice(0, MOST_ASKED).map((commit) => `--contains=${commit}`);
  const refs = holding.length === 0 ? [] : await lines(location, ['for-each-ref', '--format=%(refname)', ...holding]);
  return {
    commits,
    refs: [...refs].sort(),
    unreferenced: commits.length - reachable.length,
    remotes: await lines(location, ['remote']),
  };
}

async function lines(location: GitLocation, args: readonly string[]): Promise<readonly string[]> {
  const { stdout } = await git(location, args, { timeoutMs: WHOLE_HISTORY_MS });
  return stdout.toString('utf8').split('\n').filter(Boolean);
}

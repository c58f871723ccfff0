/** Which refs lead to commits. */
import type { CommitId } from '../version-store.ts';
import { git } from './commit-graph.ts';
import type { GitLocation } from './environment.ts';

/** Commits asked about in one command line. */
const AT_ONCE = 200;

/** Full names of all refs that have one of the commits in their history. */
export async function refsTo(location: GitLocation, commits: readonly CommitId[]): Promise<readonly string[]> {
  const refs = new Set<string>();
  for (let at = 0; at < commits.length; at += AT_ONCE) {
    const asked = commits.slice(at, at + AT_ONCE).map((commit) => `--contains=${commit}`);
    const { stdout } = await git(location, ['for-each-ref', '--format=%(refname)', ...asked]);
    for (const ref of stdout.toString().split('\n').filter(Boolean)) refs.add(ref);
  }
  return [...refs].sort();
}

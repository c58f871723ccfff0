/** Walks history from its start: every commit after those it builds on, with what it changed against each of them. */
import { once } from 'node:events';
import type { CommitId, WalkedCommit } from '../version-store.ts';
import { git, parseRawFields } from './commit-graph.ts';
import { type GitLocation, gitArguments } from './environment.ts';
import { collectTail, GitError, spawnGit, startError, writeAll } from './run-git.ts';

/** A commit and the parent it is compared with; of a first commit, none. */
interface Pair {
  readonly commit: CommitId;
  readonly parent: CommitId | null;
}

/** Lines written to git at once. */
const LINES = 1024;

/** Commits reachable from `to` and not from `from`; one child process compares them all. */
export async function* walkCommits(
  location: GitLocation,
  { from, to }: { readonly from: CommitId | null; readonly to: CommitId },
): AsyncGenerator<WalkedCommit> {
  const range = from === null ? [to] : [to, `^${from}`];
  const { stdout } = await git(location, ['rev-list', '--topo-order', '--reverse', '--parents', ...range]);
  const commits = stdout
    .toString()
    .split('\n')
    .filter(Boolean)
    .map((line) => line.split(' '));
  const pairs = commits.flatMap(([commit = '', ...parents]): readonly Pair[] =>
    parents.length === 0 ? [{ commit, parent: null }] : parents.map((parent) => ({ commit, parent })),
  );
  const differences = compare(location, pairs);
  try {
    for (const [commit = '', ...parents] of commits) {
      const changes: WalkedCommit['changes'][number][] = [];
      for (const parent of parents.length === 0 ? [null] : parents) {
        const next = await differences.next();
        if (next.done === true) throw new GitError('exit', `git diff-tree ended before commit ${commit}`);
        changes.push({ parent, paths: next.value });
      }
      yield { commit, changes };
    }
  } finally {
    // Whoever stops in the middle leaves no child process behind.
    await differences.return(undefined);
  }
}

/** Differences of the pairs, in order. */
async function* compare(location: GitLocation, pairs: readonly Pair[]) {
  const args = ['diff-tree', '--stdin', '--root', '--always', '-r', '-z', '--raw', '--no-renames', '--no-abbrev'];
  const child = spawnGit([...gitArguments(location), ...args], { cwd: location.root });
  const started = new Promise<never>((_, reject) => child.once('error', (error) => reject(startError(error))));
  started.catch(() => {});
  const ended = once(child, 'close');
  ended.catch(() => {});
  const stderr = collectTail(child);
  child.stdin.on('error', () => {});
  void writeAll(child, requests(pairs));
  let rest = Buffer.alloc(0);
  let current: string[] | null = null;
  try {
    for await (const chunk of child.stdout) {
      const end = chunk.lastIndexOf(0);
      if (end < 0) {
        rest = Buffer.concat([rest, chunk]);
        continue;
      }
      const fields = Buffer.concat([rest, chunk.subarray(0, end)])
        .toString('utf8')
        .split('\0');
      rest = Buffer.from(chunk.subarray(end + 1));
      for (const field of fields) {
        // A header is a commit id alone; of a change come two fields, the second of which is a path.
        const isPath = current !== null && current.length % 2 === 1;
        if (isPath || field.startsWith(':')) current?.push(field);
        else {
          if (current !== null) yield parseRawFields(current);
          current = [];
        }
      }
    }
    if (child.pid === undefined) await started;
    const [code] = await ended;
    if (code !== 0) throw new GitError('exit', `git diff-tree ended with ${code}: ${stderr() || 'no message'}`);
    if (current !== null) yield parseRawFields(current);
  } finally {
    child.kill('SIGKILL');
  }
}

function* requests(pairs: readonly Pair[]): Generator<string> {
  for (let at = 0; at < pairs.length; at += LINES) {
    const lines = pairs
      .slice(at, at + LINES)
      .map(({ commit, parent }) => `${commit}${parent === null ? '' : ` ${parent}`}\n`);
    yield lines.join('');
  }
}

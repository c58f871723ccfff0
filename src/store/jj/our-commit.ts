/** Finds the commit that holds a change set by what is in its tree: jj's commit ids cannot be foretold. */
import { blobIdOf } from '../blob-id.ts';
import { git, listTree } from '../git/commit-graph.ts';
import type { GitLocation } from '../git/environment.ts';
import type { ObjectReader } from '../git/object-reader.ts';
import { findBlob } from '../git/tree-path.ts';
import type { Files } from '../git/working-files.ts';
import type { CommitId } from '../version-store.ts';

export interface Objects {
  readonly location: GitLocation;
  readonly reader: ObjectReader;
}

/** Beyond this many paths the whole tree is listed at once. */
const MOST_LOOKUPS = 200;
/** Commits made on top of ours before anybody came to finish it. */
const MOST_COMMITS = 1_000;

/** The first path, in order, that the commit does not have as `files` says; `null` when it has all. */
export async function firstMissing({ location, reader }: Objects, commit: CommitId, files: Files) {
  const listed =
    files.size <= MOST_LOOKUPS
      ? null
      : new Map((await listTree(location, commit, '')).map(({ path, blob }) => [path, blob]));
  for (const [path, bytes] of files) {
    const blob = listed === null ? await findBlob(reader, commit, path) : (listed.get(path) ?? null);
    if (blob !== (bytes === null ? null : blobIdOf(bytes))) return path;
  }
  return null;
}

/** The oldest commit of `head`'s history since `parent` that holds `files`, `null` when none does. */
export async function findOurCommit(
  objects: Objects,
  range: { readonly parent: CommitId | null; readonly head: CommitId | null },
  files: Files,
): Promise<CommitId | null> {
  const { parent, head } = range;
  if (head === null || head === parent) return null;
  const args = ['rev-list', '--reverse', `--max-count=${MOST_COMMITS}`, head];
  const exclusion = parent === null ? [] : ['--not', parent];
  const { stdout } = await git(objects.location, [...args, ...exclusion]);
  for (const commit of stdout.toString().split('\n').filter(Boolean)) {
    if ((await firstMissing(objects, commit, files)) === null) return commit;
  }
  return null;
}

/** Parents and tree of a commit; throws when there is no such commit. */
export async function readCommit({ reader }: Objects, commit: CommitId) {
  const object = await reader.read(commit);
  if (object?.type !== 'commit') throw new Error(`Commit ${commit} is not in the repository`);
  const text = object.bytes.toString('latin1');
  const header = text.slice(0, text.indexOf('\n\n')).split('\n');
  const valuesOf = (name: string) =>
    header.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1));
  return { tree: valuesOf('tree')[0] ?? '', parents: valuesOf('parent') };
}

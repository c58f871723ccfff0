/** In which commits, and under which paths, blobs lie. */
import { once } from 'node:events';
import type { BlobId, CommitId } from '../version-store.ts';
import { type GitLocation, gitArguments } from './environment.ts';
import { collectTail, GitError, spawnGit, startError } from './run-git.ts';

export interface ObjectPlace {
  readonly path: string;
  /** One that brought the blob to the path. */
  readonly commit: CommitId;
}

/** Places kept of one blob; a text that was never touched has one. */
const PLACES_OF_BLOB = 100;
/** What leads to commits: every ref, what refs were before, and stashes, which are entries of such a log. */
const EVERYTHING = ['--all', '--reflog', '--topo-order', '-m', '--root'];
const FORMAT = ['--raw', '-z', '--no-renames', '--no-abbrev', '--format=commit %H'];

/** A blob without places lies in no commit that anything leads to. */
export async function placesOfBlobs(
  location: GitLocation,
  blobs: ReadonlySet<BlobId>,
): Promise<ReadonlyMap<BlobId, readonly ObjectPlace[]>> {
  const found = new Map<BlobId, ObjectPlace[]>();
  if (blobs.size === 0) return found;
  for await (const { commit, blob, path } of additions(location)) {
    if (!blobs.has(blob)) continue;
    const places = found.get(blob) ?? [];
    found.set(blob, places);
    // A merge names a path once for each parent.
    const isKnown = places.some((place) => place.commit === commit && place.path === path);
    if (!isKnown && places.length < PLACES_OF_BLOB) places.push({ path, commit });
  }
  return found;
}

/** Each path that a commit gave another blob, newest commit first. */
async function* additions(location: GitLocation): AsyncGenerator<ObjectPlace & { readonly blob: BlobId }> {
  const child = spawnGit([...gitArguments(location), 'log', ...EVERYTHING, ...FORMAT], { cwd: location.root });
  const started = new Promise<never>((_, reject) => child.once('error', (error) => reject(startError(error))));
  started.catch(() => {});
  const ended = once(child, 'close');
  ended.catch(() => {});
  const stderr = collectTail(child);
  child.stdin.end();
  let commit = '';
  let blob: BlobId | null = null;
  let rest = Buffer.alloc(0);
  try {
    for await (const chunk of child.stdout) {
      const text = Buffer.concat([rest, chunk]);
      const end = text.lastIndexOf(0);
      rest = Buffer.from(text.subarray(end + 1));
      if (end < 0) continue;
      for (const field of text.toString('utf8', 0, end).split('\0')) {
        // `:mode mode blob blob letter`, and then a path, which may be anything.
        const change: RegExpExecArray | null =
          blob === null ? /^\n?:\d+ \d+ [0-9a-f]{40} ([0-9a-f]{40}) /.exec(field) : null;
        if (blob !== null) {
          yield { commit, blob, path: field };
          blob = null;
        } else if (change !== null) blob = change[1] ?? '';
        else commit = /^\n?commit ([0-9a-f]{40})$/.exec(field)?.[1] ?? commit;
      }
    }
    if (child.pid === undefined) await started;
    const [code] = await ended;
    if (code !== 0) throw new GitError('exit', `git log ended with ${code}: ${stderr() || 'no message'}`);
  } finally {
    child.kill('SIGKILL');
  }
}

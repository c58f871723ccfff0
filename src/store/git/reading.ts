/** What a version store answers about the branch and its objects, with git, whoever made them. */
import type { BlobId, ChangedPath, CommitId, VersionStore } from '../version-store.ts';
import type { BranchRef } from './branch-ref.ts';
import { contains, countCommits, diffTrees, isShallow, listTree } from './commit-graph.ts';
import type { GitLocation } from './environment.ts';
import { commitAt, commitsThatAdded, commitThatAdded, findCommit, type History } from './history.ts';
import { missing, ObjectReader } from './object-reader.ts';
import { findBlob } from './tree-path.ts';
import { walkCommits } from './walk.ts';

type ReadingVerb =
  | 'head'
  | 'contains'
  | 'countCommits'
  | 'findCommit'
  | 'commitAt'
  | 'commitThatAdded'
  | 'commitsThatAdded'
  | 'walk'
  | 'isShallow'
  | 'diff'
  | 'readBlob'
  | 'readBlobs'
  | 'readPath'
  | 'list';

export interface Reading {
  /** Its process must be restarted when packs go away, and ended in the end. */
  readonly reader: ObjectReader;
  readonly verbs: Pick<VersionStore, ReadingVerb>;
}

export function openReading(location: GitLocation, branch: BranchRef): Reading {
  const reader = new ObjectReader(location);

  async function fromHead(find: (history: History) => Promise<CommitId | null>): Promise<CommitId | null> {
    const head = branch.read();
    return head === null ? null : find({ location, head });
  }

  async function readBlob(blob: BlobId): Promise<Uint8Array> {
    const object = await reader.read(blob);
    if (object === null) throw missing(blob);
    return object.bytes;
  }

  const verbs: Reading['verbs'] = {
    head: () => branch.read(),
    contains: (ancestor, descendant) => contains(location, ancestor, descendant),
    countCommits: (from, to) => countCommits(location, from, to),
    findCommit: (name) => fromHead((history) => findCommit(history, name)),
    commitAt: (time) => fromHead((history) => commitAt(history, time)),
    commitThatAdded: (path) => fromHead((history) => commitThatAdded(history, path)),
    commitsThatAdded: async (path, limit) => {
      const head = branch.read();
      return head === null ? [] : commitsThatAdded({ location, head }, { path, limit });
    },
    walk: (from, to) => walkCommits(location, { from, to }),
    isShallow: () => isShallow(location),
    async diff(from, to): Promise<readonly ChangedPath[]> {
      if (from === null) return listTree(location, to, '');
      const changes = await diffTrees(location, from, to);
      return changes.map(({ path, after }) => ({ path, blob: after?.blob ?? null, mode: after?.mode ?? null }));
    },
    readBlob,
    readBlobs: (blobs) => reader.readMany(blobs),
    async readPath(commit, path) {
      const blob = await findBlob(reader, commit, path);
      return blob === null ? null : readBlob(blob);
    },
    list: (commit, prefix) => listTree(location, commit, prefix),
  };
  return { reader, verbs };
}

/** The version store on plain git. What it owns: the processes of one repository. What it never does: lock it. */
import { join } from 'node:path';
import { type Outcome, ok } from '../../record/outcome.ts';
import { acquireLock } from '../lock.ts';
import type { BlobId, ChangedPath, ChangeSet, CommitId, PublishOptions, VersionStore } from '../version-store.ts';
import { BranchRef } from './branch-ref.ts';
import { contains, countCommits, diffTrees, listTree } from './commit-graph.ts';
import type { GitLocation } from './environment.ts';
import { followHead } from './git-index.ts';
import { commitAt, commitThatAdded, findCommit } from './history.ts';
import { type MaintenanceOptions, maintainObjects } from './maintenance.ts';
import { missing, ObjectReader } from './object-reader.ts';
import { Publisher } from './publisher.ts';
import { locateRepository, type RepositoryOptions, refLockFiles, STATE_FOLDER } from './repository.ts';
import { findBlob } from './tree-path.ts';
import { finalFiles, settleFiles } from './working-files.ts';

export interface OpenGitStoreOptions extends RepositoryOptions {
  /** Overrides of when to maintain. @default none */
  readonly maintenance?: Pick<MaintenanceOptions, 'leftoverAgeMs' | 'packLimit'>;
}

/** Opens the repository at exactly `root`. Refuses when there is none, git is missing or too old. Takes no lock. */
export async function openGitStore(options: OpenGitStoreOptions): Promise<Outcome<VersionStore>> {
  const located = await locateRepository(options.root);
  return located.ok ? ok(gitStore(located.value, options)) : located;
}

function gitStore(location: GitLocation, options: OpenGitStoreOptions): VersionStore {
  const branch = new BranchRef(location, options.branch);
  const publisher = new Publisher(location, branch);
  const reader = new ObjectReader(location);
  const state = join(location.root, STATE_FOLDER);
  const temporary = join(state, 'tmp');
  const closing = new AbortController();
  let following: Promise<unknown> = Promise.resolve();
  let maintaining: Promise<void> | undefined;

  // With another branch checked out its files are on disk; switching back, git itself brings ours.
  const isOnBranch = (): boolean => branch.checkedOut() === branch.name;

  async function follow({ onStep }: PublishOptions): Promise<boolean> {
    if (branch.read() === null || !isOnBranch()) return true;
    const isDone = await followHead(location, { state, temporary }, () => branch.read());
    if (isDone) await onStep?.('git_index');
    return isDone;
  }

  async function maintain(): Promise<void> {
    const lockFiles = refLockFiles(location, branch.name);
    try {
      const work = { ...options.maintenance, temporary, lockFiles, signal: closing.signal };
      // The packs the reader has open are gone now.
      // One process at a time: two repacks take each other's packs away. Whoever comes second leaves it to the first.
      const turn = await acquireLock({ file: join(state, 'maintenance.sqlite'), holder: 'maintenance', timeoutMs: 0 });
      if (!turn.ok) return;
      try {
        if (await maintainObjects(location, work)) await reader.restart();
      } finally {
        turn.lock.release();
      }
    } catch (error) {
      if (!closing.signal.aborted) throw error;
    }
  }

  return {
    kind: 'git',
    branch: branch.name,
    head: () => branch.read(),
    checkedOut: () => branch.checkedOut(),
    publish: (changes, publishOptions) => publisher.publish(changes, publishOptions),
    async settle(changes: ChangeSet, settleOptions?: PublishOptions) {
      if (isOnBranch())
        await settleFiles({ root: location.root, temporary }, finalFiles(changes.commits), settleOptions);
    },
    contains: (ancestor, descendant) => contains(location, ancestor, descendant),
    countCommits: (from, to) => countCommits(location, from, to),
    findCommit: (name) => fromHead((head) => findCommit(location, head, name)),
    commitAt: (time) => fromHead((head) => commitAt(location, head, time)),
    commitThatAdded: (path) => fromHead((head) => commitThatAdded(location, head, path)),
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
    children: async () => publisher.children(),
    followIndex(followOptions = {}) {
      const turn = following.then(() => follow(followOptions));
      following = turn.catch(() => {});
      return turn;
    },
    maintain() {
      maintaining ??= maintain().finally(() => {
        maintaining = undefined;
      });
      return maintaining;
    },
    async close() {
      closing.abort();
      await Promise.all([publisher.close(), reader.restart(), following, maintaining?.catch(() => undefined)]);
    },
  };

  async function fromHead(find: (head: CommitId) => Promise<CommitId | null>): Promise<CommitId | null> {
    const head = branch.read();
    return head === null ? null : find(head);
  }

  async function readBlob(blob: BlobId): Promise<Uint8Array> {
    const object = await reader.read(blob);
    if (object === null) throw missing(blob);
    return object.bytes;
  }
}

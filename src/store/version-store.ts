/**
 * The port to version control: one verb that publishes, a few that read.
 *
 * An implementation passes `test/store/version-store.contract.ts`. The record is the commit that the branch names; the
 * commit point of `publish` is one compare-and-swap of that branch.
 */

import type { Refusal } from '../record/outcome.ts';

/** 40 lower-case hex digits. */
export type CommitId = string;
/** 40 lower-case hex digits. */
export type BlobId = string;

export interface Author {
  readonly name: string;
  readonly email: string;
}

export interface PlannedCommit {
  readonly author: Author;
  /** Unix seconds; in git part of the commit id, so that a replay makes the same commit. */
  readonly seconds: number;
  readonly message: string;
  /** Repository path to bytes; `null` deletes. */
  readonly files: ReadonlyMap<string, Uint8Array | null>;
}

/** Commits to put on top of `parent`, in order, all or none; jj makes one commit of them. */
export interface ChangeSet {
  /** The commit the branch must still name; `null` for an unborn branch. */
  readonly parent: CommitId | null;
  readonly commits: readonly PlannedCommit[];
}

export type PublishStep = 'objects' | 'branch' | 'first_file' | 'last_file' | 'git_index';

export interface PublishOptions {
  /** Called after a step is done; tests stop here. May be async. */
  readonly onStep?: (step: PublishStep) => void | Promise<void>;
}

export type PublishResult =
  | { readonly ok: true; readonly head: CommitId; readonly commits: readonly CommitId[] }
  /** Somebody else moved the branch: nothing of ours is on it. */
  | { readonly ok: false; readonly code: 'moved'; readonly message: string }
  /** The commit could not be made: nothing of ours is on the branch. */
  | {
      readonly ok: false;
      readonly code: 'failed';
      readonly message: string;
      /** What the program that failed said: for the log, never for a caller. */
      readonly output?: string;
    };

export interface TreeEntry {
  readonly path: string;
  readonly blob: BlobId;
  /** git file mode, e.g. `100644`; links are `120000`, submodules `160000`. */
  readonly mode: string;
  /** Bytes. */
  readonly size: number;
}

export interface ChangedPath {
  readonly path: string;
  /** `null` when the path is gone. */
  readonly blob: BlobId | null;
  readonly mode: string | null;
}

/** A path that differs between two trees; `null` where a side has no file. */
export interface RawChange {
  readonly path: string;
  readonly before: { readonly blob: BlobId; readonly mode: string } | null;
  readonly after: { readonly blob: BlobId; readonly mode: string } | null;
}

export interface WalkedCommit {
  readonly commit: CommitId;
  /** Against each parent, in order; of a first commit, against nothing. */
  readonly changes: readonly { readonly parent: CommitId | null; readonly paths: readonly RawChange[] }[];
}

/** A child process that may still act on the repository after its parent died. */
export interface ChildProcessId {
  readonly pid: number;
  /** Start time in clock ticks since boot (field 22 of /proc/PID/stat), or 0 where there is none. */
  readonly started: number;
}

export interface VersionStore {
  readonly kind: 'git' | 'jujutsu';
  readonly branch: string;
  /** The commit the branch names, read from disk each time (about 0.04 ms); `null` when unborn. */
  head(): CommitId | null;
  /** The branch whose files are the working files, `null` when none. Cheap. */
  checkedOut(): string | null;
  /** Why nothing may be published at all, not even what a dead writer began: a program is missing. `null` when nothing. */
  obstacle(): Promise<Refusal | null>;
  /** Why nothing new may be published: the working files are not the branch's. `null` when they are. */
  misplaced(): Promise<Refusal | null>;
  publish(changes: ChangeSet, options?: PublishOptions): Promise<PublishResult>;
  /** Brings working files in step with a published change set; a no-op where publishing did it. Idempotent. */
  settle(changes: ChangeSet, options?: PublishOptions): Promise<void>;
  /** Whether `ancestor` is `descendant` or in its history. */
  contains(ancestor: CommitId, descendant: CommitId): Promise<boolean>;
  /** Commits in `to` that are not in `from`; from `null`, all. */
  countCommits(from: CommitId | null, to: CommitId): Promise<number>;
  /** The commit of the branch with that id or unambiguous prefix (lower-case hex, at least 4), `null` when none. */
  findCommit(name: string): Promise<CommitId | null>;
  /** The newest commit of the branch made at or before `time` (Unix milliseconds), `null` when none was. */
  commitAt(time: number): Promise<CommitId | null>;
  /** The newest commit of the branch that added `path`, `null` when none did. Slow: it reads the history. */
  commitThatAdded(path: string): Promise<CommitId | null>;
  /** As `commitThatAdded`, the newest `limit` of them, newest first. */
  commitsThatAdded(path: string, limit: number): Promise<readonly CommitId[]>;
  /** Commits of `to` that are not in `from` (`null`: all), each after those it builds on. Slow: it reads the history. */
  walk(from: CommitId | null, to: CommitId): AsyncIterable<WalkedCommit>;
  /** Whether older commits were left out when the repository was cloned. */
  isShallow(): Promise<boolean>;
  /** Paths that differ between two commits; from `null`, every path. */
  diff(from: CommitId | null, to: CommitId): Promise<readonly ChangedPath[]>;
  readBlob(blob: BlobId): Promise<Uint8Array>;
  /** Reads many blobs in order with one child process. */
  readBlobs(blobs: readonly BlobId[]): AsyncIterable<Uint8Array>;
  /** Bytes of a path at a commit, `null` when absent or not a regular file. */
  readPath(commit: CommitId, path: string): Promise<Uint8Array | null>;
  list(commit: CommitId, prefix: string): Promise<readonly TreeEntry[]>;
  /** Children that could still write, for the intent. Starts them if needed. */
  children(): Promise<readonly ChildProcessId[]>;
  /**
   * Brings git's own index in step with the branch (git only); off the caller's path. `false` when another program held
   * it all the while: call again later.
   */
  followIndex(options?: PublishOptions): Promise<boolean>;
  /** Packs, removes leftovers; never blocks a publish. Resolves when done; a failure leaves the record whole. */
  maintain(): Promise<void>;
  close(): Promise<void>;
}

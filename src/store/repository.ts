/**
 * One data repository in this process: version store, index, lock and writer put together.
 *
 * Opening takes no lock and starts nothing: several processes may open the same repository at once.
 */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Outcome } from '../record/outcome.ts';
import { type CatchUpResult, catchUp } from './catch-up.ts';
import type { Trust } from './changed-file.ts';
import { FollowUp } from './follow-up.ts';
import { KEPT_OF_BLOB } from './git/batch-answers.ts';
import { dirtyPaths } from './git/dirty-paths.ts';
import { remoteUrls } from './git/remotes.ts';
import { type TextHolders, textHolders } from './git/text-holders.ts';
import { assertUntrackedState } from './git/tracked-state.ts';
import { gitUserName } from './git/user-name.ts';
import { editedFiles, readWorkingFile, uncommittedEdit } from './git/working-files.ts';
import type { Index } from './index/index.ts';
import { type LockState, openLock } from './lock.ts';
import { forgetPastIndexes, PastIndexes } from './past/past-indexes.ts';
import { canWriteIn } from './probe.ts';
import type { PublishGroupSources } from './publish-group.ts';
import { Reindexing } from './reindexing.ts';
import { RepositoryIndex } from './repository-index.ts';
import { isScrubDue, noteScrub, scrub } from './scrub.ts';
import type { BlobId, CommitId, VersionStore } from './version-store.ts';
import { type Operation, Writer, type WriterCounts } from './writer.ts';

export interface RepositoryOptions extends Omit<PublishGroupSources, 'index' | 'privateFolder' | 'uncommittedEdit'> {
  /** Absolute path of the repository's root. */
  readonly root: string;
  /** @default the one in `.waymark` */
  readonly index?: RepositoryIndex;
}

/** Where the index stands when it is not in step. */
export interface IndexLag {
  readonly indexed: CommitId | null;
  readonly head: CommitId | null;
  /** Commits, at least 1. */
  readonly behind: number;
}

/** A reader waits this long for the index to come in step, in milliseconds; then it reads the last complete state. */
const READ_PATIENCE_MS = 200;
const POLL_MS = 5;
/** Reads tried before damage of the index that comes back each time is an error. */
const ATTEMPTS = 5;

export class Repository {
  readonly root: string;
  readonly store: VersionStore;
  readonly trust: Trust;
  readonly index: RepositoryIndex;
  readonly #options: RepositoryOptions;
  readonly #privateFolder: string;
  readonly #writer: Writer;
  readonly #reindexing: Reindexing;
  readonly #past: PastIndexes;
  readonly #followUp: FollowUp;
  readonly #lock;
  /** A reader's catching up that runs. */
  #catching: Promise<CatchUpResult> | null = null;
  #counted: (Omit<IndexLag, 'behind'> & { readonly behind: Promise<number> }) | null = null;

  constructor(options: RepositoryOptions) {
    const { root, store, trust } = options;
    this.root = root;
    this.store = store;
    this.trust = trust;
    this.#options = options;
    const privateFolder = join(root, '.waymark');
    this.#privateFolder = privateFolder;
    mkdirSync(privateFolder, { recursive: true, mode: 0o700 });
    this.index = options.index ?? new RepositoryIndex(privateFolder, { beforeOpen: () => assertUntrackedState(root) });
    this.#lock = openLock(join(privateFolder, 'lock.sqlite'));
    this.#reindexing = new Reindexing({ ...options, branch: store.branch });
    this.#past = new PastIndexes({ ...options, index: this.index });
    this.#followUp = new FollowUp(options);
    this.#writer = new Writer({
      ...options,
      index: this.index,
      lock: this.#lock,
      privateFolder,
      uncommittedEdit: (files) => uncommittedEdit(root, files),
      catchUp: (waitMs) => this.#catchUp(waitMs),
      afterPublish: () => this.#followUp.schedule(),
    });
  }

  /** Runs one operation of the transaction. */
  write<T>(operation: Operation<T>): Promise<Outcome<T>> {
    return this.#writer.run(operation);
  }

  /** What was written through this object. */
  writes(): WriterCounts {
    return this.#writer.counts();
  }

  /** Who holds the lock now. Throws `LockFileError` when it cannot be taken by anybody. */
  lockState(): LockState {
    return this.#lock.peek();
  }

  /** Whether the folder of index and lock takes a file. */
  isStateWritable(): Promise<boolean> {
    return canWriteIn(this.#privateFolder);
  }

  /**
   * Reads on one snapshot, in step with the branch if that is quick; `state` says so when it is not. `read` runs again
   * when the index turns out to be damaged or was deleted meanwhile.
   */
  async read<T>(read: (index: Index) => T): Promise<{ readonly value: T; readonly state?: IndexLag }> {
    for (let attempt = 1; ; attempt += 1) {
      const state = await this.#bringUp();
      try {
        const reader = this.index.reader();
        const { indexed, value } = reader.snapshot(() => ({ indexed: reader.indexedCommit(), value: read(reader) }));
        if (state !== null) return { value, state };
        // Deleted since it was in step: an empty index must not pass for an empty record.
        if (indexed !== null || this.store.head() === null) return { value };
        if (attempt === ATTEMPTS) return { value, state: await this.#lag() };
      } catch (error) {
        if (!this.index.discardIfDamaged(error) || attempt === ATTEMPTS) throw error;
      }
    }
  }

  /**
   * As {@link read}, of the record as it stood at `knownAt` (Unix milliseconds), beside the present one. `null` when the
   * present one is not there yet, or many other times are asked for.
   */
  async readPast<T>(
    knownAt: number,
    read: (past: Index, present: Index) => T,
  ): Promise<{ readonly value: T; readonly state?: IndexLag } | null> {
    const { value: last, state } = await this.read((index) => index.lastKnownAt(knownAt));
    // Times between the same two events are one, unless events may be missing.
    const found = await this.#past.read(state === undefined ? (last ?? 0) : knownAt, (past) => {
      const present = this.index.reader();
      return present.snapshot(() => read(past, present));
    });
    return found === null ? null : { ...found, ...(state === undefined ? {} : { state }) };
  }

  /** Unix milliseconds. */
  now(): number {
    return this.#options.now();
  }

  /** Bytes of a regular working file; `null` when nothing is there, `other` for a folder, a link or more than 1 MiB. */
  workingFile(path: string): Promise<Uint8Array | 'other' | null> {
    return readWorkingFile(this.root, path, { limit: KEPT_OF_BLOB });
  }

  /** Those of these paths whose working file is not this blob; `null` is no file. */
  editedFiles(files: ReadonlyMap<string, BlobId | null>): Promise<readonly string[]> {
    return editedFiles(this.root, files, { limit: KEPT_OF_BLOB });
  }

  /** Working files in these folders that are not as committed, less what a `.gitignore` names. */
  async uncommittedIn(folders: readonly string[]): Promise<readonly string[]> {
    const { root, store } = this;
    const within = folders.filter((folder) => existsSync(join(root, folder)));
    const head = store.head();
    return within.length === 0 || head === null ? [] : dirtyPaths({ root, store, head, within });
  }

  /** Addresses of git's remotes. */
  remoteUrls(): Promise<readonly string[]> {
    return remoteUrls(this.root);
  }

  /** What of this repository still leads to versions of these files. Slow: it reads the history. */
  textHolders(paths: readonly string[]): Promise<TextHolders> {
    return textHolders(this.root, paths);
  }

  /** Says, before a text is erased, that {@link finishErasing} is due. */
  async beginErasing(): Promise<void> {
    await noteScrub(this.#privateFolder);
  }

  /** Leaves nothing of an erased text in the index; `false` when somebody reads all the while: opening tries again. */
  async finishErasing(waitMs: number): Promise<boolean> {
    return (await this.settleIndex()) && scrub(this.#privateFolder, this.index, waitMs);
  }

  /** Finishes what an erasure left to do, if the index is in step and nobody reads. */
  async goOnErasing(): Promise<void> {
    if (!isScrubDue(this.#privateFolder) || this.index.reader().indexedCommit() !== this.store.head()) return;
    await scrub(this.#privateFolder, this.index, 0);
  }

  /** What the account's person told git their name is; `null` where nobody did. */
  userName(): Promise<string | null> {
    return gitUserName(this.root, this.#options.env);
  }

  /** Builds the index anew from the branch; resolves when it is in step. */
  async reindex(onProgress: (line: string) => void = () => undefined): Promise<boolean> {
    forgetPastIndexes(this.root);
    return this.#reindexing.run({ fromStart: true, onProgress });
  }

  /** Waits until the index is in step with the branch, however long that takes. `false` when it cannot be. */
  async settleIndex(onProgress: (line: string) => void = () => undefined): Promise<boolean> {
    for (;;) {
      const result = await this.#catchUp(READ_PATIENCE_MS);
      if (result === 'in_step') return true;
      if (result === 'conflict') return false;
      if (result === 'large' && !(await this.#reindexing.run({ fromStart: false, onProgress }))) return false;
      await delay(POLL_MS);
    }
  }

  /** Finishes what runs, brings git's index in step, lets go of everything. */
  async close(): Promise<void> {
    await this.#writer.idle();
    await this.#followUp.close();
    this.#reindexing.close();
    this.#past.close();
    this.index.close();
    this.#lock.close();
    await this.store.close();
  }

  /** `null` when in step. */
  async #bringUp(): Promise<IndexLag | null> {
    const deadline = performance.now() + READ_PATIENCE_MS;
    for (;;) {
      const left = deadline - performance.now();
      // Whoever moves the index already brings it further than a second one could, which would ask git the same.
      const moving = this.#writer.publishing ?? this.#catching;
      if (moving !== null && this.#isBehind()) {
        if (left <= 0) break;
        await settledWithin(moving, left);
        continue;
      }
      const result = await this.#catchUpForAll(Math.max(0, left));
      if (result === 'in_step') return null;
      if (result === 'conflict' || left <= 0) break;
      await delay(POLL_MS);
    }
    return this.#lag();
  }

  /** One that could not be read is not called behind: catching up mends it. */
  #isBehind(): boolean {
    try {
      return this.index.reader().indexedCommit() !== this.store.head();
    } catch {
      return false;
    }
  }

  async #catchUpForAll(waitMs: number): Promise<CatchUpResult> {
    const result = this.#catchUp(waitMs);
    this.#catching ??= result;
    try {
      return await result;
    } finally {
      if (this.#catching === result) this.#catching = null;
    }
  }

  async #lag(): Promise<IndexLag> {
    const indexed = this.index.reader().indexedCommit();
    return { indexed, head: this.store.head(), behind: await this.#countBehind(indexed) };
  }

  async #catchUp(waitMs: number): Promise<CatchUpResult> {
    const result = await this.#catchUpMending(waitMs);
    // Started once, whoever notices; the caller goes on with what there is.
    if (result === 'large') void this.#reindexing.run({ fromStart: false, onProgress: () => undefined });
    return result;
  }

  async #catchUpMending(waitMs: number): Promise<CatchUpResult> {
    try {
      return await catchUp({ ...this.#options, index: this.index }, waitMs);
    } catch (error) {
      if (!this.index.discardIfDamaged(error)) throw error;
      return 'busy';
    }
  }

  /** Counted once for all who read meanwhile. */
  async #countBehind(indexed: CommitId | null): Promise<number> {
    const head = this.store.head();
    if (head === null) return 0;
    if (this.#counted?.indexed !== indexed || this.#counted.head !== head) {
      this.#counted = { indexed, head, behind: this.store.countCommits(indexed, head).catch(() => 1) };
    }
    return Math.max(1, await this.#counted.behind);
  }
}

async function settledWithin(work: Promise<unknown>, limitMs: number): Promise<void> {
  const timer = new AbortController();
  const late = delay(limitMs, undefined, { signal: timer.signal }).catch(() => undefined);
  await Promise.race([work.catch(() => undefined), late]);
  timer.abort();
}

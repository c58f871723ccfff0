/**
 * The one writer path: every change of any kind is an operation run here.
 *
 * Sequence (design.md, "The transaction"): lock, recover a leftover intent, catch up with the branch, decide each
 * operation on its own savepoint, sign, write the intent, publish, settle files and index, remove the intent, unlock.
 * No model call, prompt, network or scan of the whole repository runs under the lock.
 *
 * Operations that arrive together share one publication; each keeps its own event, commit and answer, and a refused one
 * leaves the others alone.
 */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { rememberCheckpoint, rootOf } from '../ledger/index.ts';
import type { Signer } from '../ledger/types.ts';
import { type Outcome, type Refusal, refuse } from '../record/outcome.ts';
import type { Role } from '../record/principal.ts';
import type { CatchUpResult } from './catch-up.ts';
import type { Decision, Draft } from './draft.ts';
import { type GroupSources, type PreparedGroup, prepareGroup } from './group.ts';
import type { Index } from './index/index.ts';
import { removeIntent, writeIntent } from './intent.ts';
import { type LockFile, LockFileError } from './lock.ts';
import { recoverIntent } from './recover.ts';
import type { ChangeSet, CommitId, PublishOptions, PublishStep } from './version-store.ts';
import { BUSY_INDEX, busyLock, CONFLICTED, JUJUTSU, MEND, MOVED } from './writer-refusals.ts';

/** Where a transaction is; tests stop a process at each. */
export type Step = 'lock' | 'intent' | PublishStep | 'index' | 'intent_removed';

export interface Operation<T> {
  readonly signer: Signer;
  readonly agent_id: string;
  readonly role: Role | 'owner';
  /** Reads, checks rules and stages files. Runs under the lock, and again from the start if the branch moved. */
  decide(draft: Draft): Promise<Outcome<Decision<T>>>;
}

export interface WriterSources extends GroupSources {
  readonly lock: LockFile;
  /** `.waymark` */
  readonly privateFolder: string;
  readonly onStep?: (step: Step) => void | Promise<void>;
  /** Brings the index in step with the branch, as far as that is quick. */
  readonly catchUp: (waitMs: number) => Promise<CatchUpResult>;
  /** Called after a publication, off the caller's path. */
  readonly afterPublish: () => void;
  readonly warn: (message: string, cause: unknown) => void;
}

/** How long a caller waits for the lock and the index, in milliseconds. */
export const PATIENCE_MS = 10_000;
/** Operations published together. */
const GROUP_SIZE = 16;
/** Pause after a group, in milliseconds, so that processes take turns. */
const TURN_MS = 3;
/** Publications tried again because somebody else moved the branch. */
const MOVED_RETRIES = 5;

interface Waiting {
  readonly operation: Operation<unknown>;
  readonly deadline: number;
  readonly answer: (outcome: Outcome<unknown>) => void;
  readonly fail: (error: unknown) => void;
}

interface Published {
  readonly answers: readonly (() => void)[];
  /** The new commit; `null` when nothing was published. */
  readonly head: CommitId | null;
  /** Working files are in step, so the intent can go. */
  readonly settled: boolean;
}

export class Writer {
  readonly #sources: WriterSources;
  readonly #queue: Waiting[] = [];
  #draining: Promise<void> | null = null;

  constructor(sources: WriterSources) {
    this.#sources = sources;
  }

  /** Runs one operation and answers when it survives power loss, or was refused. */
  run<T>(operation: Operation<T>): Promise<Outcome<T>> {
    return new Promise<Outcome<T>>((resolve, reject) => {
      this.#queue.push({
        operation,
        deadline: performance.now() + PATIENCE_MS,
        // The queue holds operations of many answer types; each answer goes to its own caller.
        answer: (outcome) => resolve(outcome as Outcome<T>),
        fail: reject,
      });
      this.#draining ??= this.#drain().finally(() => {
        this.#draining = null;
      });
    });
  }

  /** Resolves when every operation so far has its answer. */
  async idle(): Promise<void> {
    while (this.#draining !== null) await this.#draining;
  }

  async #drain(): Promise<void> {
    while (this.#queue.length > 0) {
      const first = this.#queue[0];
      const timeoutMs = Math.max(0, (first?.deadline ?? 0) - performance.now());
      const { lock, refusal } = await this.#acquire(first?.operation.agent_id ?? '', timeoutMs);
      if (lock === null) {
        // Whoever came later may still get the lock; what keeps it from being taken at all concerns everyone.
        const refused = refusal.code === 'busy' ? this.#takeLate() : this.#queue.splice(0);
        for (const waiting of refused) waiting.answer(refusal);
        continue;
      }
      const group = this.#queue.splice(0, GROUP_SIZE);
      try {
        await this.#sources.onStep?.('lock');
        await this.#runGroup(group, lock);
      } catch (error) {
        for (const waiting of group) waiting.fail(error);
      } finally {
        lock.release();
      }
      await delay(TURN_MS);
    }
  }

  /** Removes those whose patience is over from the queue. */
  #takeLate(): readonly Waiting[] {
    const now = performance.now();
    const late = this.#queue.filter((waiting) => waiting.deadline <= now);
    this.#queue.splice(0, Infinity, ...this.#queue.filter((waiting) => waiting.deadline > now));
    return late;
  }

  async #acquire(holder: string, timeoutMs: number) {
    try {
      const taken = await this.#sources.lock.acquire({ holder, timeoutMs });
      if (taken.ok) return { lock: taken.lock, refusal: BUSY_INDEX } as const;
      const who = taken.holder === null ? 'another process' : taken.holder;
      return { lock: null, refusal: busyLock(who) } as const;
    } catch (error) {
      if (!(error instanceof LockFileError)) throw error;
      const next = 'Nothing was saved. Make the folder writable, or move aside what lies there';
      return { lock: null, refusal: refuse('storage', error.message, { next }) } as const;
    }
  }

  async #runGroup(group: readonly Waiting[], lock: { release(): void }): Promise<void> {
    const answerAll = (refusal: Refusal) => {
      for (const waiting of group) waiting.answer(refusal);
    };
    const branch = this.#branchRefusal();
    if (branch !== null) return answerAll(branch);
    const refused = await this.#recover();
    if (refused !== null) return answerAll(refused);
    for (let attempt = 0; attempt <= MOVED_RETRIES; attempt++) {
      const deadline = Math.min(...group.map((waiting) => waiting.deadline));
      const state = await this.#sources.catchUp(Math.max(0, deadline - performance.now()));
      if (state === 'large' || state === 'busy') {
        // Indexing goes on without the lock; whoever can wait comes back for it.
        lock.release();
        return this.#waitForIndex(group, state);
      }
      if (state === 'conflict') return answerAll(CONFLICTED);
      if (await this.#tryGroup(group)) return;
    }
    answerAll(MOVED);
  }

  /** Finishes what a dead writer began. */
  async #recover(): Promise<Refusal | null> {
    const { store, privateFolder: dir, warn } = this.#sources;
    try {
      await recoverIntent({ store, dir, logger: { warn: (details, message) => warn(message, details) } });
      return null;
    } catch (error) {
      return refuse('storage', error instanceof Error ? error.message : String(error), {
        next: MEND,
      });
    }
  }

  /** Puts the group back in the queue once the index is in step, or answers `busy`. */
  async #waitForIndex(group: readonly Waiting[], state: 'large' | 'busy'): Promise<void> {
    await delay(state === 'large' ? 100 : TURN_MS);
    const now = performance.now();
    for (const waiting of group) if (waiting.deadline <= now) waiting.answer(BUSY_INDEX);
    this.#queue.unshift(...group.filter((waiting) => waiting.deadline > now));
  }

  #branchRefusal(): Refusal | null {
    const { store, privateFolder } = this.#sources;
    if (store.kind === 'git' && existsSync(join(dirname(privateFolder), '.jj'))) return JUJUTSU;
    const current = store.checkedOut();
    if (current === store.branch) return null;
    const where = current === null ? 'HEAD is detached' : `HEAD is on branch "${current}"`;
    return refuse('wrong_branch', `${where}, and the record is branch "${store.branch}"`, {
      next: `Run "git switch ${store.branch}" in the record, then call again; reading goes on meanwhile`,
    });
  }

  /** `false` when the branch moved or the index was damaged, and the group must be decided anew. */
  async #tryGroup(group: readonly Waiting[]): Promise<boolean> {
    try {
      return await this.#publishGroup(group);
    } catch (error) {
      if (!this.#sources.index.discardIfDamaged(error)) throw error;
      return false;
    }
  }

  /** `false` when the branch moved and the group must be decided anew. */
  async #publishGroup(group: readonly Waiting[]): Promise<boolean> {
    const { index, onStep, privateFolder, warn } = this.#sources;
    const progress: { published: Published | null } = { published: null };
    const done = await index
      .transaction<'moved' | Published>(PATIENCE_MS, async (writable) => {
        const result = await this.#publishOnce(group, writable);
        if (result === 'moved' || result.head === null) return { commit: false, value: result };
        progress.published = result;
        writable.setIndexedCommit(result.head);
        return { commit: true, value: result };
      })
      .catch((error: unknown) => {
        // The commit stands whatever becomes of the index, which catches up from it.
        if (progress.published === null) throw error;
        index.discardIfDamaged(error);
        warn('The index is behind the branch; the next use brings it up', error);
        return { value: progress.published };
      });
    if (done === null) {
      for (const waiting of group) waiting.answer(BUSY_INDEX);
      return true;
    }
    if (done.value === 'moved') return false;
    const { answers, settled } = done.value;
    if (settled) {
      await onStep?.('index');
      await removeIntent(privateFolder);
      await onStep?.('intent_removed');
    }
    for (const answer of answers) answer();
    this.#sources.afterPublish();
    return true;
  }

  async #publishOnce(group: readonly Waiting[], writable: Index): Promise<'moved' | Published> {
    const { onStep, privateFolder, store } = this.#sources;
    const head = writable.indexedCommit();
    if (head !== store.head()) return 'moved';
    const operations = group.map((waiting) => waiting.operation);
    const prepared = await prepareGroup(this.#sources, writable, { head, operations });
    const answers = group.map((waiting, at) => () => settleAnswer(waiting, prepared, at));
    const { changes } = prepared;
    if (changes.commits.length === 0) return { answers, settled: false, head: null };
    const failed = (message: string): Published => {
      const refusal = refuse('storage', `The commit could not be made: ${message}`, { next: MEND });
      return { answers: group.map((waiting) => () => waiting.answer(refusal)), settled: false, head: null };
    };
    const unwritten = await this.#writeIntent(changes);
    if (unwritten !== null) return failed(unwritten);
    await onStep?.('intent');
    const options: PublishOptions = onStep === undefined ? {} : { onStep };
    const published = await store.publish(changes, options);
    if (!published.ok) {
      await removeIntent(privateFolder);
      return published.code === 'moved' ? 'moved' : failed(published.message);
    }
    const settled = await this.#settleFiles(prepared, options);
    this.#remember(prepared);
    return { answers, settled, head: published.head };
  }

  /** Why the intent could not be written, `null` when it was. */
  async #writeIntent(changes: ChangeSet): Promise<string | null> {
    const { privateFolder, store } = this.#sources;
    const { branch, kind } = store;
    try {
      const children = await store.children();
      await writeIntent(privateFolder, { version: 1, branch, kind, changes, children });
      return null;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  /** Memory only accuses; a save does not fail for the lack of it. */
  #remember(prepared: PreparedGroup): void {
    try {
      for (const [log, { size, peaks }] of prepared.tails) {
        rememberCheckpoint({ dir: this.#sources.seenFolder, log }, { size, root: rootOf(peaks) });
      }
    } catch (error) {
      this.#sources.warn('The newest checkpoint could not be remembered: a cut log would go unnoticed', error);
    }
  }

  /** `false` when working files could not be written: the commit stands and the intent stays for the next writer. */
  async #settleFiles(prepared: PreparedGroup, options: PublishOptions): Promise<boolean> {
    try {
      await this.#sources.store.settle(prepared.changes, options);
      return true;
    } catch (error) {
      this.#sources.warn('Working files are behind the branch; the next write brings them up', error);
      return false;
    }
  }
}

function settleAnswer(waiting: Waiting, prepared: PreparedGroup, at: number): void {
  const outcome = prepared.outcomes[at];
  if (outcome === undefined) throw new Error('An operation of the group has no outcome');
  if (outcome.kind === 'failed') waiting.fail(outcome.error);
  else waiting.answer(outcome.outcome);
}

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
import type { Signer } from '../ledger/types.ts';
import { type Outcome, type Refusal, refuse } from '../record/outcome.ts';
import type { Role } from '../record/principal.ts';
import type { CatchUpResult } from './catch-up.ts';
import type { Decision, Draft } from './draft.ts';
import { type GroupSources, type PreparedGroup, prepareGroup } from './group.ts';
import { removeIntent, writeIntent } from './intent.ts';
import { type LockFile, LockFileError } from './lock.ts';
import { recoverIntent } from './recover.ts';
import { rememberTail } from './remember-logs.ts';
import type { PublishOptions, PublishStep } from './version-store.ts';

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
      const group = this.#queue.splice(0, GROUP_SIZE);
      if (lock === null) {
        for (const waiting of group) waiting.answer(refusal);
        continue;
      }
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
      const done = await this.#publishGroup(group, deadline);
      if (done) return;
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
        next: 'Nothing was saved. Mend the repository ("git fsck", free space, permissions), then call again',
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

  /** `false` when the branch moved and the group must be decided anew. */
  async #publishGroup(group: readonly Waiting[], deadline: number): Promise<boolean> {
    const { index, onStep, privateFolder, store } = this.#sources;
    const waitMs = Math.max(0, deadline - performance.now());
    const done = await index.transaction<'moved' | Published>(waitMs, async (writable) => {
      const head = writable.indexedCommit();
      if (head !== store.head()) return { commit: false, value: 'moved' };
      const prepared = await prepareGroup(this.#sources, writable, {
        head,
        operations: group.map((waiting) => waiting.operation),
      });
      const answers = group.map((waiting, at) => () => settleAnswer(waiting, prepared, at));
      if (prepared.changes.commits.length === 0) return { commit: false, value: { answers, settled: false } };
      await writeIntent(privateFolder, {
        version: 1,
        branch: store.branch,
        kind: store.kind,
        changes: prepared.changes,
        children: await store.children(),
      });
      await onStep?.('intent');
      const options: PublishOptions = onStep === undefined ? {} : { onStep };
      const published = await store.publish(prepared.changes, options);
      if (!published.ok) {
        await removeIntent(privateFolder);
        if (published.code === 'moved') return { commit: false, value: 'moved' };
        const refusal = refuse('storage', `The commit could not be made: ${published.message}`, {
          next: 'Nothing was saved. Mend the repository ("git fsck", free space, permissions), then call again',
        });
        const refused = group.map((waiting) => () => waiting.answer(refusal));
        return { commit: false, value: { answers: refused, settled: false } };
      }
      const settled = await this.#settleFiles(prepared, options);
      for (const tail of prepared.tails.values()) rememberTail(tail, this.#sources);
      writable.setIndexedCommit(published.head);
      return { commit: true, value: { answers, settled } };
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

function busyLock(holder: string): Refusal {
  return refuse('busy', `The record is being written by ${holder}`, {
    next: 'Nothing was saved. Call again in a few seconds',
  });
}

const BUSY_INDEX: Refusal = refuse('busy', 'busy: indexing. The index is being brought in step with the branch', {
  next: 'Nothing was saved. Call again in a few seconds; "waymark status" shows how far it is',
});

const MOVED: Refusal = refuse('busy', 'The branch kept moving while this was being saved', {
  next: 'Nothing was saved. Call again; something else commits to the record very often',
});

/** Commits made beside jj leave it with stray heads (design.md, "git store"). */
const JUJUTSU: Refusal = refuse('repository', 'This is a Jujutsu repository, which this version can only read', {
  next: 'Nothing was saved. Write to a plain git clone of it, whose folder holds no ".jj"',
});

const CONFLICTED: Refusal = refuse('repository', 'The record is a conflicted commit', {
  next: 'Nothing was saved. Resolve the conflict, then call again; reading goes on from the last good commit',
});

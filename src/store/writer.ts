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
import { setTimeout as delay } from 'node:timers/promises';
import type { SignedEvent, Signer } from '../ledger/types.ts';
import { type Outcome, type Refusal, refuse } from '../record/outcome.ts';
import type { KeyRole } from '../record/principal.ts';
import type { CatchUpResult } from './catch-up.ts';
import type { Decision, Draft } from './draft.ts';
import type { OperationOutcome } from './group.ts';
import { removeIntent } from './intent.ts';
import { type AcquireOptions, type AcquireResult, type LockFile, LockFileError } from './lock.ts';
import { type GroupResult, type PublishGroupSources, publishGroup } from './publish-group.ts';
import { recoverIntent } from './recover.ts';
import { storageMessage } from './storage-error.ts';
import type { PublishStep } from './version-store.ts';
import { BUSY_INDEX, busyLock, CONFLICTED, MEND, MOVED, unreadable } from './writer-refusals.ts';

/** Where a transaction is; tests stop a process at each. */
export type Step = 'lock' | 'intent' | PublishStep | 'index' | 'intent_removed';

export interface Operation<T> {
  readonly signer: Signer;
  readonly agent_id: string;
  readonly role: KeyRole;
  /** Published by itself: what comes after it must be decided on an index that is made anew. @default false */
  readonly alone?: boolean;
  /** Reads, checks rules and stages files. Runs under the lock, and again from the start if the branch moved. */
  decide(draft: Draft): Promise<Outcome<Decision<T>>>;
  /** Called before the answer with what was signed and published, in order; not at all when nothing was. */
  readonly onSigned?: ((events: readonly SignedEvent[]) => void) | undefined;
}

export interface WriterSources extends PublishGroupSources {
  readonly lock: LockFile;
  /** Brings the index in step with the branch, as far as that is quick. */
  readonly catchUp: (waitMs: number) => Promise<CatchUpResult>;
  /** Called after a publication, off the caller's path. */
  readonly afterPublish: () => void;
}

/** How long a caller waits for the lock and the index, in milliseconds. */
export const PATIENCE_MS = 10_000;
/** Operations published together. */
const GROUP_SIZE = 16;
/**
 * Pause after a group, in milliseconds, so that processes take turns. With jj a group takes so long that a waiting process
 * must not miss its turn by luck: the pause is longer than it sleeps between two tries (`lock.ts`).
 */
const TURN_MS = { git: 3, jujutsu: 12 } as const;
/** Publications tried again because somebody else moved the branch. */
const MOVED_RETRIES = 5;

/** What a writer did since it was made. */
export interface WriterCounts {
  /** Times somebody else held the lock when it was wanted. */
  readonly lockWaits: number;
  /** Milliseconds of all these waits together. */
  readonly lockWaitMs: number;
  /** Waits that ended without the lock. */
  readonly lockRefusals: number;
  /** Events signed and published. */
  readonly events: number;
}

interface Waiting {
  readonly operation: Operation<unknown>;
  readonly deadline: number;
  readonly answer: (outcome: Outcome<unknown>) => void;
  readonly fail: (error: unknown) => void;
}

export class Writer {
  readonly #sources: WriterSources;
  readonly #queue: Waiting[] = [];
  readonly #counts = { lockWaits: 0, lockWaitMs: 0, lockRefusals: 0, events: 0 };
  #draining: Promise<void> | null = null;
  #publishing: Promise<boolean> | null = null;

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

  /** The transaction that runs: it holds the index, and brings it to the branch as it ends. */
  get publishing(): Promise<unknown> | null {
    return this.#publishing;
  }

  counts(): WriterCounts {
    return { ...this.#counts };
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
      const group = this.#takeGroup();
      try {
        await this.#sources.onStep?.('lock');
        await this.#runGroup(group, lock);
      } catch (error) {
        failGroup(group, error);
      } finally {
        lock.release();
      }
      await delay(TURN_MS[this.#sources.store.kind]);
    }
  }

  /** Whoever is next, with others; in jj, where a group is one commit, with operations of the same caller only. */
  #takeGroup(): readonly Waiting[] {
    const [first] = this.#queue;
    if (first?.operation.alone === true) return this.#queue.splice(0, 1);
    const alone = this.#queue.findIndex(({ operation }) => operation.alone === true);
    const most = alone === -1 ? GROUP_SIZE : Math.min(alone, GROUP_SIZE);
    if (first === undefined || this.#sources.store.kind === 'git') return this.#queue.splice(0, most);
    const group = this.#queue
      .filter(({ operation }) => operation.alone !== true && isSameCaller(operation, first.operation))
      .slice(0, GROUP_SIZE);
    this.#queue.splice(0, Infinity, ...this.#queue.filter((waiting) => !group.includes(waiting)));
    return group;
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
      const { lock } = this.#sources;
      const atOnce = await lock.acquire({ holder, timeoutMs: 0 });
      const taken = atOnce.ok ? atOnce : await this.#waitForLock({ holder, timeoutMs });
      if (taken.ok) return { lock: taken.lock, refusal: BUSY_INDEX } as const;
      const who = taken.holder === null ? 'another process' : taken.holder;
      return { lock: null, refusal: busyLock(who) } as const;
    } catch (error) {
      if (!(error instanceof LockFileError)) throw error;
      const next = 'Nothing was saved. Make the folder writable, or move aside what lies there';
      return { lock: null, refusal: refuse('storage', error.message, { next }) } as const;
    }
  }

  async #waitForLock(options: Required<Pick<AcquireOptions, 'holder' | 'timeoutMs'>>): Promise<AcquireResult> {
    const started = performance.now();
    const taken = await this.#sources.lock.acquire(options);
    this.#counts.lockWaits += 1;
    this.#counts.lockWaitMs += performance.now() - started;
    if (!taken.ok) this.#counts.lockRefusals += 1;
    return taken;
  }

  async #runGroup(group: readonly Waiting[], lock: { release(): void }): Promise<void> {
    const answerAll = (refusal: Refusal) => {
      for (const waiting of group) waiting.answer(refusal);
    };
    const { store } = this.#sources;
    // What a dead writer began is finished first: it may be why the working files are not the branch's.
    const refused = (await store.obstacle()) ?? (await this.#recover()) ?? (await store.misplaced());
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
      this.#publishing = this.#tryGroup(group, deadline);
      try {
        if (await this.#publishing) return;
      } finally {
        this.#publishing = null;
      }
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
    await delay(state === 'large' ? 100 : TURN_MS.git);
    const now = performance.now();
    for (const waiting of group) if (waiting.deadline <= now) waiting.answer(BUSY_INDEX);
    this.#queue.unshift(...group.filter((waiting) => waiting.deadline > now));
  }

  /** `false` when the branch moved or the index was damaged, and the group must be decided anew. */
  async #tryGroup(group: readonly Waiting[], deadline: number): Promise<boolean> {
    try {
      return await this.#publishGroup(group, Math.max(0, deadline - performance.now()));
    } catch (error) {
      if (!this.#sources.index.discardIfDamaged(error)) throw error;
      return false;
    }
  }

  /** `false` when the branch moved and the group must be decided anew. */
  async #publishGroup(group: readonly Waiting[], waitMs: number): Promise<boolean> {
    const { index, onStep, privateFolder, warn } = this.#sources;
    const operations = group.map((waiting) => waiting.operation);
    const progress: { published: GroupResult | null } = { published: null };
    const done = await index
      .transaction<GroupResult>(waitMs, async (writable) => {
        const result = await publishGroup(this.#sources, writable, operations);
        if (result.kind !== 'published') return { commit: false, value: result };
        progress.published = result;
        // Left at the commit before: catching up finds that all is to be judged again, and does it off the lock.
        if (result.stale) return { commit: false, value: result };
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
    const result: GroupResult = done?.value ?? { kind: 'refused', refusal: BUSY_INDEX };
    if (result.kind === 'moved') return false;
    if (result.kind === 'refused') {
      for (const waiting of group) waiting.answer(result.refusal);
      return true;
    }
    if (result.kind === 'published' && result.settled) {
      await onStep?.('index');
      // One that stays is played again and changes nothing.
      await removeIntent(privateFolder).catch((error: unknown) => warn('The intent could not be removed', error));
      await onStep?.('intent_removed');
    }
    for (const [at, waiting] of group.entries()) {
      const outcome = result.outcomes[at];
      if (outcome?.kind === 'answered') this.#counts.events += outcome.signed?.length ?? 0;
      settleAnswer(waiting, outcome);
    }
    if (result.kind === 'published') this.#sources.afterPublish();
    return true;
  }
}

function isSameCaller(one: Operation<unknown>, other: Operation<unknown>): boolean {
  return one.signer === other.signer && one.agent_id === other.agent_id && one.role === other.role;
}

function failGroup(group: readonly Waiting[], error: unknown): void {
  const message = storageMessage(error);
  for (const waiting of group) {
    if (message === null) waiting.fail(error);
    else waiting.answer(unreadable(message));
  }
}

function settleAnswer(waiting: Waiting, outcome: OperationOutcome | undefined): void {
  if (outcome === undefined) throw new Error('An operation of the group has no outcome');
  if (outcome.kind === 'failed') {
    waiting.fail(outcome.error);
    return;
  }
  if (outcome.signed !== undefined) waiting.operation.onSigned?.(outcome.signed);
  waiting.answer(outcome.outcome);
}

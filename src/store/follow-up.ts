/** What follows a publication off the caller's path: git's own index within a second, and maintenance now and then. */
import type { PublishOptions, VersionStore } from './version-store.ts';

export interface FollowUpOptions {
  readonly store: VersionStore;
  readonly onStep?: PublishOptions['onStep'];
  readonly warn: (message: string, cause: unknown) => void;
}

/** Saves in a burst share one update; `git status` is clean within a second of the last. Milliseconds. */
const FOLLOW_DELAY_MS = 150;
const LONGEST_DELAY_MS = 600;
/** Until the next try when another program holds git's index. Milliseconds. */
const RETRY_MS = 1_000;
/** Publications between two looks at whether packing is due. */
const MAINTENANCE_INTERVAL = 64;

export class FollowUp {
  readonly #options: FollowUpOptions;
  #timer: NodeJS.Timeout | null = null;
  #firstAt = 0;
  #following: Promise<void> = Promise.resolve();
  #isPending = false;
  #isHeldUp = false;
  #isClosed = false;
  #published = 0;
  #maintenance: Promise<void> = Promise.resolve();

  constructor(options: FollowUpOptions) {
    this.#options = options;
  }

  schedule(): void {
    this.#published += 1;
    const now = performance.now();
    if (!this.#isPending) this.#firstAt = now;
    this.#isPending = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    const wait = Math.max(0, Math.min(FOLLOW_DELAY_MS, this.#firstAt + LONGEST_DELAY_MS - now));
    this.#timer = setTimeout(() => void this.#follow(), wait);
    if (this.#published % MAINTENANCE_INTERVAL === 0) this.#maintain();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#isPending) await this.#follow();
    await this.#following;
    await this.#maintenance;
  }

  #follow(): Promise<void> {
    this.#timer = null;
    this.#isPending = false;
    const { store, onStep, warn } = this.#options;
    const options: PublishOptions = onStep === undefined ? {} : { onStep };
    this.#following = this.#following
      .then(() => store.followIndex(options))
      .then((isDone) => (isDone ? this.#inStep() : this.#heldUp()))
      .catch((error: unknown) => warn("git's own index is behind the branch; the next save brings it up", error));
    return this.#following;
  }

  #inStep(): void {
    this.#isHeldUp = false;
  }

  /** A person's plain `git commit` from a stale index deletes thoughts, so this does not wait for the next save. */
  #heldUp(): void {
    if (!this.#isHeldUp) this.#options.warn("git's own index is behind the branch", 'another program holds index.lock');
    this.#isHeldUp = true;
    if (this.#isClosed || this.#isPending) return;
    this.#isPending = true;
    this.#firstAt = performance.now();
    this.#timer = setTimeout(() => void this.#follow(), RETRY_MS);
  }

  #maintain(): void {
    const { store, warn } = this.#options;
    this.#maintenance = this.#maintenance
      .then(() => store.maintain())
      .catch((error: unknown) => warn('Maintenance of the repository failed and is tried again later', error));
  }
}

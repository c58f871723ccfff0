/**
 * Tells people that something new waits: ids and counts, never a text.
 *
 * Looks when the branch moved, at most every thirty seconds, beside every save and never in its way. What could not be told
 * is told with the next.
 */
import { faultFacts, type Logger } from '../../mcp/log.ts';
import { type WaitingId, waitingIds } from '../../trail/desk/waiting-ids.ts';
import type { OpenRecord } from '../../trail/open.ts';

/** What a command gets on its standard input and a webhook as its body, as JSON. */
export interface Notice {
  readonly event: 'proposals_waiting';
  /** ISO 8601. */
  readonly at: string;
  /** All that waits. */
  readonly waiting: number;
  /** What is new since the last notice; the oldest first, at most 100. */
  readonly new: readonly WaitingId[];
  /** Of the desk. */
  readonly url: string;
}

/** `null` when it arrived, else a stable word for the log. */
export type Tell = (notice: Notice) => Promise<string | null>;

export interface QueueWatchOptions {
  readonly record: Pick<OpenRecord, 'repository' | 'now'>;
  readonly tell: Tell;
  readonly url: string;
  readonly log: Logger;
}

export const LEAST_INTERVAL_MS = 30_000;
const LOOK_EVERY_MS = 2_000;
const MAX_NEW = 100;

export class QueueWatch {
  readonly #options: QueueWatchOptions;
  /** Ids that somebody was told of, or that waited before. */
  #known: ReadonlySet<string> | null = null;
  #head: string | null = null;
  /** Unix milliseconds. */
  #looked = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> = Promise.resolve();
  #counts = { told: 0, failed: 0 };

  constructor(options: QueueWatchOptions) {
    this.#options = options;
  }

  /** Notices that arrived, and that did not. */
  counts(): { readonly told: number; readonly failed: number } {
    return this.#counts;
  }

  /** What waits already is no news. */
  start(): void {
    const next = () => {
      this.#running = this.#running.then(() => this.look());
    };
    next();
    this.#timer = setInterval(next, LOOK_EVERY_MS).unref();
  }

  /** Ends after a notice that is on its way. */
  async stop(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    await this.#running;
  }

  /** Never throws. */
  async look(): Promise<void> {
    const { record, log } = this.#options;
    try {
      const head = record.repository.store.head();
      const now = record.now();
      if (head === this.#head || now < this.#looked + LEAST_INTERVAL_MS) return;
      this.#looked = now;
      const { value: ids } = await record.repository.read(waitingIds);
      if (await this.#isTold(ids, now)) this.#head = head;
    } catch (fault) {
      this.#counts = { ...this.#counts, failed: this.#counts.failed + 1 };
      log.warn({ notify: 'fault', ...faultFacts(fault) }, 'the queue could not be looked at');
    }
  }

  async #isTold(ids: readonly WaitingId[], now: number): Promise<boolean> {
    const { tell, url, log } = this.#options;
    const known = this.#known;
    const all = new Set(ids.map(({ thought_id, since }) => `${thought_id} ${since}`));
    const fresh = known === null ? [] : ids.filter(({ thought_id, since }) => !known.has(`${thought_id} ${since}`));
    if (fresh.length > 0) {
      const at = new Date(now).toISOString();
      const notice = {
        event: 'proposals_waiting',
        at,
        waiting: ids.length,
        new: fresh.slice(0, MAX_NEW),
        url,
      } as const;
      const fault = await tell(notice);
      const { told, failed } = this.#counts;
      this.#counts = fault === null ? { told: told + 1, failed } : { told, failed: failed + 1 };
      if (fault !== null) {
        log.warn({ notify: fault }, 'nobody could be told of what waits');
        return false;
      }
    }
    this.#known = all;
    return true;
  }
}

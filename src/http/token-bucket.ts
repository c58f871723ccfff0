/** Rates by key: each key may spend so much a minute, saved up to a part of it for bursts. */

/** What is saved up: a tenth of a minute's worth, at least a few. */
const BURST_PART = 10;
const LEAST_BURST = 5;
/** Keys remembered; beyond it the one that was idle longest is forgotten, and starts full. */
const MAX_KEYS = 10_000;

interface Bucket {
  level: number;
  /** Unix milliseconds. */
  at: number;
}

export class TokenBuckets {
  readonly #perMs: number;
  readonly #capacity: number;
  readonly #now: () => number;
  readonly #buckets = new Map<string, Bucket>();

  constructor(options: { readonly perMinute: number; readonly now: () => number; readonly burst?: number }) {
    const { perMinute, now, burst = Math.max(LEAST_BURST, perMinute / BURST_PART) } = options;
    this.#perMs = perMinute / 60_000;
    this.#capacity = burst;
    this.#now = now;
  }

  /** 0 when it was spent; else nothing was, and so many seconds later there is enough. */
  spend(key: string, amount = 1): number {
    const now = this.#now();
    const known = this.#buckets.get(key) ?? { level: this.#capacity, at: now };
    const level = Math.min(this.#capacity, known.level + Math.max(0, now - known.at) * this.#perMs);
    // An amount above what is ever saved up may be spent from a full bucket, and is paid back.
    const isEnough = level >= Math.min(amount, this.#capacity);
    // At the end, as the one used last.
    this.#buckets.delete(key);
    this.#buckets.set(key, { level: isEnough ? level - amount : level, at: now });
    this.#forgetOldest();
    return isEnough ? 0 : Math.max(1, Math.ceil((Math.min(amount, this.#capacity) - level) / this.#perMs / 1000));
  }

  #forgetOldest(): void {
    if (this.#buckets.size <= MAX_KEYS) return;
    for (const oldest of this.#buckets.keys()) {
      this.#buckets.delete(oldest);
      return;
    }
  }
}

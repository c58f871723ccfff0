/** How much each caller may ask for. Whoever authenticates is counted by credential, everyone else by address. */
import type { ServeLimits } from '../config/index.ts';
import { TokenBuckets } from './token-bucket.ts';

const MIB = 1024 * 1024;
/** A caller that has too much running may ask again this many seconds later. */
const RUNNING_RETRY_S = 1;

export class Limits {
  readonly #most: number;
  readonly #requests: TokenBuckets;
  readonly #bytes: TokenBuckets;
  readonly #anonymous: TokenBuckets;
  readonly #failures: TokenBuckets;
  readonly #running = new Map<string, number>();

  constructor(limits: ServeLimits, now: () => number) {
    const { requests_per_minute, mebibytes_per_minute, anonymous_per_minute, failures_per_minute } = limits;
    this.#most = limits.concurrent_requests;
    this.#requests = new TokenBuckets({ perMinute: requests_per_minute, now });
    this.#bytes = new TokenBuckets({ perMinute: mebibytes_per_minute * MIB, now });
    this.#anonymous = new TokenBuckets({ perMinute: anonymous_per_minute, now });
    // A client with an old token tries a few times at once, and must read why it is refused.
    this.#failures = new TokenBuckets({ perMinute: failures_per_minute, burst: failures_per_minute, now });
  }

  /** 0 when a request of the caller may begin, else the seconds to wait. Each that began ends with {@link end}. */
  begin(key: string): number {
    const running = this.#running.get(key) ?? 0;
    if (running >= this.#most) return RUNNING_RETRY_S;
    const wait = this.#requests.spend(key);
    if (wait === 0) this.#running.set(key, running + 1);
    return wait;
  }

  end(key: string): void {
    const left = (this.#running.get(key) ?? 1) - 1;
    if (left > 0) this.#running.set(key, left);
    else this.#running.delete(key);
  }

  /** 0, or the seconds until a body of this size is taken. */
  body(key: string, bytes: number): number {
    return this.#bytes.spend(key, bytes);
  }

  /** Of an address that sends no credential. */
  anonymous(address: string): number {
    return this.#anonymous.spend(address);
  }

  /** Of an address whose credential was refused; a good one from there is let in all the same. */
  failure(address: string): number {
    return this.#failures.spend(address);
  }
}

/** The requests of one call: how many, how long, to whom, and what could not be learned. */
import { type BoundedReply, boundedRequest } from '../../../net/bounded-request.ts';
import type { Egress } from '../types.ts';
import type { Answer } from './answers.ts';

export interface RemoteLimits {
  readonly requests: number;
  readonly together: number;
  /** Milliseconds. */
  readonly eachMs: number;
  /** Milliseconds. */
  readonly allMs: number;
  readonly bodyBytes: number;
}

export const REMOTE_LIMITS: RemoteLimits = {
  requests: 20,
  together: 4,
  eachMs: 2_000,
  allMs: 5_000,
  bodyBytes: 256 * 1024,
};

interface Failure {
  count: number;
  readonly reasons: Set<string>;
}

export class RemoteCall {
  readonly #limits: RemoteLimits;
  readonly #ended: AbortSignal;
  readonly #hosts = new Set<string>();
  readonly #failures = new Map<string, Failure>();
  #requests = 0;
  #left = 0;

  constructor(limits: RemoteLimits) {
    this.#limits = limits;
    this.#ended = AbortSignal.timeout(limits.allMs);
  }

  /** Asks about each item with one request, a few at once, as long as requests and time are left. */
  async each<T>(items: readonly T[], ask: (item: T) => Promise<void>): Promise<void> {
    const open = items.values();
    const worker = async () => {
      for (const item of open) {
        if (this.#requests >= this.#limits.requests || this.#ended.aborted) {
          this.#left += 1;
          continue;
        }
        await ask(item);
      }
    };
    await Promise.all(Array.from({ length: this.#limits.together }, worker));
  }

  async get(url: string): Promise<BoundedReply> {
    this.#requests += 1;
    this.#hosts.add(new URL(url).host);
    const { eachMs: timeoutMs, bodyBytes: maxBytes } = this.#limits;
    return boundedRequest({ url, timeoutMs, maxBytes, signal: this.#ended });
  }

  /** Counts an answer that said nothing. */
  note(service: string, answer: Answer<unknown>): void {
    if (answer.kind !== 'unknown') return;
    const failure = this.#failures.get(service) ?? { count: 0, reasons: new Set() };
    this.#failures.set(service, failure);
    failure.count += 1;
    failure.reasons.add(answer.why);
  }

  warnings(): readonly string[] {
    const { requests, allMs } = this.#limits;
    const failed = [...this.#failures].map(
      ([service, { count, reasons }]) =>
        `The ${service} left questions open: ${count} (${[...reasons].sort().join(', ')}); what they were about counts as missing`,
    );
    if (this.#left === 0) return failed;
    const bounds = `${requests} requests in ${allMs / 1000} seconds`;
    return [...failed, `Questions that were not sent: ${this.#left}; a call has at most ${bounds}`];
  }

  egress(): Egress | undefined {
    return this.#requests === 0 ? undefined : { hosts: [...this.#hosts].sort(), requests: this.#requests };
  }
}

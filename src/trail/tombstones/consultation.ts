/** Tombstones as one write asks for them. Slow digests are made between two tries of the write, outside the lock. */
import { type Consulted, type ConsultedText, consult } from './consult.ts';
import { slowDigest } from './digests.ts';
import type { TombstoneIndex } from './in-force.ts';

/** A text that is another one each time is given up on. */
const TRIES = 5;

export class Consultation {
  readonly #slow = new Map<string, string>();
  readonly #wanted = new Map<string, Wanted>();

  /** Use within {@link settled}: until then an erased value may pass. */
  of(index: TombstoneIndex, text: ConsultedText): Consulted {
    return consult(index, text, (salt, value) => this.slowDigest(salt, value));
  }

  /** `null` until it is there, at the next try: under the lock nobody waits for it. */
  slowDigest(salt: Uint8Array, value: string): string | null {
    const name = `${Buffer.from(salt).toString('base64url')} ${value}`;
    const digest = this.#slow.get(name);
    if (digest === undefined) this.#wanted.set(name, { salt, value });
    return digest ?? null;
  }

  /** A slow digest was asked for that is not there: what was decided does not hold. */
  get isWaiting(): boolean {
    return this.#wanted.size > 0;
  }

  /** Asks again once the slow digests are there, as long as it asks for others. */
  async settled<T>(ask: () => T | Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const answer = await ask();
      if (!this.isWaiting || attempt === TRIES) return answer;
      for (const [name, { salt, value }] of this.#wanted) this.#slow.set(name, await slowDigest(salt, value));
      this.#wanted.clear();
    }
  }
}

interface Wanted {
  readonly salt: Uint8Array;
  readonly value: string;
}

/** Tombstones as one write asks for them. Slow digests are made between two tries of the write, outside the lock. */
import { type Consulted, type ConsultedText, consult } from './consult.ts';
import { slowDigest } from './digests.ts';
import { keysInForce, type TombstoneIndex, tombstonesOver } from './in-force.ts';
import { ConsultedValue } from './value.ts';

/** A text that is another one each time is given up on. */
const TRIES = 5;
/** UTF-16 units above which the quick digests of a body take long too: 0.6 s for a megabyte. */
const LARGE = 64 * 1024;

export class Consultation {
  readonly #slow = new Map<string, string>();
  readonly #wanted = new Map<string, Wanted>();
  readonly #values = new Map<string, ConsultedValue>();
  readonly #large = new Map<string, readonly Uint8Array[]>();

  /** Use within {@link settled}: until then an erased value may pass. */
  of(index: TombstoneIndex, text: ConsultedText): Consulted {
    const known = this.#values.get(text.body);
    if (known === undefined && text.body.length > LARGE && this.#isNew(index, text)) return { equal: null, near: [] };
    return consult(index, { ...text, ...(known === undefined ? {} : { known }) }, (salt, value) =>
      this.slowDigest(salt, value),
    );
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
    return this.#wanted.size > 0 || this.#large.size > 0;
  }

  /** Whether there are keys to digest the body under, which is put off then. */
  #isNew(index: TombstoneIndex, { scope, body }: ConsultedText): boolean {
    const ring = tombstonesOver(index, scope).length === 0 ? null : keysInForce(index);
    if (ring === null || ring === 'lost') return false;
    this.#large.set(body, [...ring.keys.values()]);
    return true;
  }

  /** Asks again once the slow digests are there, as long as it asks for others. */
  async settled<T>(ask: () => T | Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const answer = await ask();
      if (!this.isWaiting || attempt === TRIES) return answer;
      for (const [name, { salt, value }] of this.#wanted) this.#slow.set(name, await slowDigest(salt, value));
      this.#wanted.clear();
      for (const [body, keys] of this.#large) this.#values.set(body, digested(body, keys));
      this.#large.clear();
    }
  }
}

interface Wanted {
  readonly salt: Uint8Array;
  readonly value: string;
}

function digested(body: string, keys: readonly Uint8Array[]): ConsultedValue {
  const value = new ConsultedValue(body);
  for (const key of keys) {
    value.shingles(key);
    value.facts(key);
  }
  return value;
}

/** Tombstones as one write asks for them. Slow digests are made between two tries of the write, outside the lock. */
import { type Consulted, type ConsultedText, consult } from './consult.ts';
import { slowDigest } from './digests.ts';
import type { TombstoneIndex } from './in-force.ts';

export class Consultation {
  readonly #slow = new Map<string, string>();
  readonly #wanted = new Map<string, Uint8Array>();

  /** While {@link isWaiting} it may be that a text is let in that an erasure keeps out. */
  of(index: TombstoneIndex, text: ConsultedText): Consulted {
    return consult(index, text, (salt, value) => {
      const digest = this.#slow.get(value);
      if (digest === undefined) this.#wanted.set(value, salt);
      return digest ?? null;
    });
  }

  /** A slow digest was asked for that is not there: what was decided must be decided again after {@link settle}. */
  get isWaiting(): boolean {
    return this.#wanted.size > 0;
  }

  async settle(): Promise<void> {
    for (const [value, salt] of this.#wanted) this.#slow.set(value, await slowDigest(salt, value));
    this.#wanted.clear();
  }
}

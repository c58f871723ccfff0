/** Walks of this process that ended with a cursor: whoever goes on soon need not begin again. */
import type { Walk } from './walk.ts';

const MAX_KEPT = 8;

export class SuspendedWalks {
  readonly #walks = new Map<string, Walk>();

  keep(cursor: string, walk: Walk): void {
    this.#walks.delete(cursor);
    this.#walks.set(cursor, walk);
    for (const oldest of this.#walks.keys()) {
      if (this.#walks.size <= MAX_KEPT) break;
      this.#walks.delete(oldest);
    }
  }

  /** The walk goes on, so whoever sends the cursor a second time begins again. */
  take(cursor: string): Walk | null {
    const walk = this.#walks.get(cursor) ?? null;
    this.#walks.delete(cursor);
    return walk;
  }
}

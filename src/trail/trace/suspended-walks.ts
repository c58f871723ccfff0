/** Walks of this process that ended with a cursor: whoever goes on soon need not begin again. */
import { putBounded } from '../../record/put-bounded.ts';
import type { Walk } from './walk.ts';

const MAX_KEPT = 8;

export class SuspendedWalks {
  readonly #walks = new Map<string, Walk>();

  keep(cursor: string, walk: Walk): void {
    putBounded(this.#walks, [cursor, walk], { limit: MAX_KEPT });
  }

  /** The walk goes on, so whoever sends the cursor a second time begins again. */
  take(cursor: string): Walk | null {
    const walk = this.#walks.get(cursor) ?? null;
    this.#walks.delete(cursor);
    return walk;
  }
}

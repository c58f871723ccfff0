/** Layouts of graphs that were drawn before: a page is often looked at again, and its layout is what costs. */
import { createHash } from 'node:crypto';
import { putBounded } from '../../../record/put-bounded.ts';
import { type GraphLayout, type GraphShape, layoutGraph } from './graph-layout.ts';

const KEPT = 64;

export class LayoutCache {
  readonly #layouts = new Map<string, GraphLayout>();

  /** By what is drawn and nothing else: whoever is shown the same graph may be shown the same layout. */
  layout(shape: GraphShape): GraphLayout {
    const drawn = JSON.stringify([shape.ids, shape.edges.map(({ from, to }) => [from, to])]);
    const key = createHash('sha256').update(drawn).digest('base64url');
    const known = this.#layouts.get(key);
    if (known !== undefined) return known;
    const made = layoutGraph(shape);
    putBounded(this.#layouts, [key, made], { limit: KEPT });
    return made;
  }
}

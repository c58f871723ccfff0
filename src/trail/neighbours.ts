/** Approved thoughts that say nearly the same: what a reviewer compares a proposal with. */
import { shinglesOf, similarity, wordsOf } from '../record/similarity.ts';
import { isVisible, VISIBILITY_CLASSES } from '../record/visibility.ts';
import type { Index } from '../store/index/index.ts';
import type { StoredThought } from '../store/index/types.ts';
import type { TrailContext } from './context.ts';

export interface Neighbour {
  readonly row: StoredThought;
  /** 0 to 1, see `record/similarity.ts`. */
  readonly similarity: number;
}

export interface NeighbourQuery {
  readonly scope: string;
  readonly body: string;
  /** The thought itself, and what it would replace. */
  readonly except: readonly string[];
  readonly principal: TrailContext['principal'];
  /** @default 3 */
  readonly limit?: number;
}

/** Below this two texts merely share a phrase. */
const LEAST = 0.2;
/** Newest approved thoughts of the scope that are compared. */
const COMPARED = 2_000;

/** The most alike first; governed thoughts of the scope that the principal sees. */
export function neighboursOf(index: Index, query: NeighbourQuery): readonly Neighbour[] {
  const { scope, body, except, principal, limit = 3 } = query;
  const shingles = shinglesOf(wordsOf(body));
  const { hits } = index.recall({
    scopes: [scope],
    classes: [VISIBILITY_CLASSES.governed],
    tokens: [],
    filters: {},
    order: 'newest',
    limit: COMPARED,
  });
  return hits
    .filter((row) => !except.includes(row.thought.thought_id) && isVisible(row.facts, { principal, view: 'governed' }))
    .map((row) => ({ row, similarity: similarity(shingles, shinglesOf(wordsOf(row.thought.body))) }))
    .filter((neighbour) => neighbour.similarity >= LEAST)
    .sort((a, b) => b.similarity - a.similarity)
    .slice(0, limit);
}

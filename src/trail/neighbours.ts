/** Thoughts that say nearly the same: what a reviewer compares a proposal with, and what a writer is told of. */
import { marksOf, valueMark } from '../record/alike.ts';
import { normaliseValue } from '../record/normal-value.ts';
import { shinglesOf, similarity, wordsOf } from '../record/similarity.ts';
import { isVisible, VISIBILITY_CLASSES, type View } from '../record/visibility.ts';
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

/** The most alike first; governed thoughts of the scope that the principal sees. */
export function neighboursOf(index: Index, query: NeighbourQuery): readonly Neighbour[] {
  const { scope, body, except, principal, limit = 3 } = query;
  const shingles = shinglesOf(wordsOf(body));
  return index
    .alikeThoughts({ scope, classes: [VISIBILITY_CLASSES.governed], marks: marksOf(body) })
    .filter((row) => !except.includes(row.thought.thought_id) && isVisible(row.facts, { principal, view: 'governed' }))
    .map((row) => ({ row, similarity: similarity(shingles, shinglesOf(wordsOf(row.thought.body))) }))
    .filter((neighbour) => neighbour.similarity >= LEAST)
    .sort((a, b) => b.similarity - a.similarity || (a.row.thought.thought_id < b.row.thought.thought_id ? -1 : 1))
    .slice(0, limit);
}

/** Views in which a writer may learn of a thought that says the same. */
const OPEN_VIEWS = ['governed', 'authoring'] as const satisfies readonly View[];

/** Ids of thoughts of the scope with the same value, governed or the principal's own and undecided; oldest first. */
export function duplicatesOf(index: Index, query: Omit<NeighbourQuery, 'limit'>): readonly string[] {
  const { scope, body, except, principal } = query;
  const mark = valueMark(body);
  if (mark === null) return [];
  const value = normaliseValue(body);
  const classes = [VISIBILITY_CLASSES.governed, VISIBILITY_CLASSES.authored];
  return index
    .alikeThoughts({ scope, classes, marks: [mark] })
    .filter(({ facts, thought }) => {
      const isLive = thought.validation_status !== 'rejected' && !except.includes(thought.thought_id);
      return isLive && OPEN_VIEWS.some((view) => isVisible(facts, { principal, view }));
    })
    .filter(({ thought }) => normaliseValue(thought.body) === value)
    .map(({ thought }) => thought.thought_id)
    .sort();
}

/** Approved thoughts of one scope that say nearly the same, and those among them that contradict each other. */
import { type Difference, differencesOf, subjectSimilarity } from '../../record/differences.ts';
import { type Outcome, ok } from '../../record/outcome.ts';
import { expandScopes, parseScope } from '../../record/scope.ts';
import { isVisible, readableScopes, VISIBILITY_CLASSES } from '../../record/visibility.ts';
import type { Index } from '../../store/index/index.ts';
import type { RecallCursor, StoredThought } from '../../store/index/types.ts';
import type { TrailContext } from '../context.ts';
import { neighboursOf } from '../neighbours.ts';
import { summarizeStored } from '../summary.ts';
import type { ThoughtSummary } from '../types.ts';
import { isKeptBeside } from './kept-beside.ts';

export interface DuplicatesInput {
  /** A scope or a glob; absent: every scope. */
  readonly scope?: string | undefined;
}

export interface DuplicatePair {
  readonly scope: string;
  /** The one that was made first. */
  readonly old: ThoughtSummary;
  readonly new: ThoughtSummary;
  /** 0 to 1, of what they are about: see `record/differences.ts`. */
  readonly similarity: number;
  /** What they say differently: then they contradict each other, or one of them is outdated. */
  readonly differ: readonly Difference[];
}

export interface DuplicatesResult {
  readonly status: 'ok';
  readonly count: number;
  /** Contradictions first, then the most alike. */
  readonly pairs: readonly DuplicatePair[];
  /** There are more than are shown. */
  readonly truncated?: true;
}

/** Two texts of which one restates the other; see `record/similarity.ts` for what that can tell. */
const ALIKE = 0.6;
const MAX_PAIRS = 500;
const PAGE = 500;

/** Pairs that nobody decided to keep side by side; as the caller's governed view has them. */
export async function duplicates(
  { repository, principal }: Pick<TrailContext, 'repository' | 'principal'>,
  input: DuplicatesInput = {},
): Promise<Outcome<DuplicatesResult>> {
  const pattern = input.scope ?? '**';
  const scope = pattern.includes('*') ? ok(pattern) : parseScope(pattern, 'scope');
  if (!scope.ok) return scope;
  const { value } = await repository.read((index) => {
    const scopes = expandScopes(
      [scope.value],
      readableScopes(index.scopes(), principal).map((known) => known.scope),
    );
    return scopes.flatMap((name) => pairsOf(index, { scope: name, principal }));
  });
  const pairs = value.sort(
    (a, b) =>
      b.differ.length - a.differ.length || b.similarity - a.similarity || compare(a.old.thought_id, b.old.thought_id),
  );
  return ok({
    status: 'ok',
    count: Math.min(pairs.length, MAX_PAIRS),
    pairs: pairs.slice(0, MAX_PAIRS),
    ...(pairs.length > MAX_PAIRS ? { truncated: true as const } : {}),
  });
}

interface Reach {
  readonly scope: string;
  readonly principal: TrailContext['principal'];
}

function pairsOf(index: Index, { scope, principal }: Reach): readonly DuplicatePair[] {
  const pairs: DuplicatePair[] = [];
  for (const row of governed(index, { scope, principal })) {
    const { thought_id, body } = row.thought;
    const alike = neighboursOf(index, { scope, body, except: [thought_id], principal, limit: Infinity });
    for (const { row: other } of alike) {
      const similarity = subjectSimilarity(other.thought.body, body);
      // Each pair once, from its newer side.
      if (similarity < ALIKE || compare(other.thought.thought_id, thought_id) > 0) continue;
      if (isKeptBeside(index, [thought_id, other.thought.thought_id])) continue;
      const differ = differencesOf(other.thought.body, body);
      pairs.push({
        scope,
        old: summarizeStored(other, { principal }),
        new: summarizeStored(row, { principal }),
        similarity: rounded(similarity),
        differ,
      });
    }
  }
  return pairs;
}

function* governed(index: Index, { scope, principal }: Reach): Generator<StoredThought> {
  const query = {
    scopes: [scope],
    classes: [VISIBILITY_CLASSES.governed],
    tokens: [],
    filters: {},
    order: 'newest' as const,
    limit: PAGE,
  };
  let after: RecallCursor | undefined;
  do {
    const { hits } = index.recall({ ...query, ...(after === undefined ? {} : { after }) });
    yield* hits.filter((row) => isVisible(row.facts, { principal, view: 'governed' }));
    after = hits.length < PAGE ? undefined : hits.at(-1)?.cursor;
  } while (after !== undefined);
}

function rounded(similarity: number): number {
  return Math.round(similarity * 100) / 100;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Resolves an id or prefix to one thought the caller may see; what it may not see is as if it did not exist. */
import { isIdPrefix, MIN_ID_PREFIX } from '../record/ids.ts';
import { type Outcome, ok, refuse } from '../record/outcome.ts';
import type { Principal } from '../record/principal.ts';
import { isVisible, type View } from '../record/visibility.ts';
import type { Index, ThoughtPlace } from '../store/index/index.ts';
import type { StoredThought } from '../store/index/types.ts';

const MAX_CANDIDATES = 5;

export interface FindOptions {
  readonly principal: Principal;
  /** Visible in any of these views. */
  readonly views: readonly View[];
  /** Only in this scope; absent: in every scope. */
  readonly scope?: string;
  /** What else must hold of it. @default nothing */
  readonly accepts?: (place: ThoughtPlace) => boolean;
}

/** Where an id that says nothing of a view is looked for: what explains a decision; an operator sees everything. */
export function viewsOf({ role }: Principal): readonly View[] {
  return role === 'operator' ? ['lineage', 'history'] : ['lineage'];
}

export function findThought(index: Index, idOrPrefix: string, options: FindOptions): Outcome<StoredThought> {
  const id = idOrPrefix.toUpperCase();
  if (!isIdPrefix(id)) {
    return refuse('invalid', `"thought_id" is not an id or a prefix of ${MIN_ID_PREFIX} to 26 characters`, {
      field: 'thought_id',
      next: 'Send the whole id, as the tool that saved the thought answered it or as recall shows it',
    });
  }
  const seen = visiblePaths(id.length === 26 ? index.thoughtById(id) : index.placesByPrefix(id), options).flatMap(
    (path) => index.thoughtByPath(path) ?? [],
  );
  const [first, second] = seen;
  if (first === undefined) return notFound(options.scope);
  if (second === undefined) return ok(first);
  return refuse('ambiguous', `"thought_id" names ${seen.length} thoughts or more`, {
    field: 'thought_id',
    next: `Send the whole id of one of them: ${seen.map((row) => row.thought.thought_id).join(', ')}`,
    details: { candidates: seen.map((row) => ({ thought_id: row.thought.thought_id })) },
  });
}

/** Paths of the first few visible thoughts: what is withheld neither answers nor hides what comes after it. */
function visiblePaths(places: Iterable<ThoughtPlace>, options: FindOptions): readonly string[] {
  const { principal, views, scope, accepts = () => true } = options;
  const paths: string[] = [];
  for (const place of places) {
    if (scope !== undefined && place.scope !== scope) continue;
    if (!views.some((view) => isVisible(place.facts, { principal, view }))) continue;
    if (!accepts(place)) continue;
    paths.push(place.path);
    if (paths.length === MAX_CANDIDATES) break;
  }
  return paths;
}

function notFound(scope: string | undefined): Outcome<never> {
  const where = scope === undefined ? 'the record' : `scope "${scope}"`;
  return refuse('not_found', `No thought of that id is visible to you in ${where}`, {
    field: 'thought_id',
    next: 'Look for it with recall, or check the scope with list_scopes',
  });
}

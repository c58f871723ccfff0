/** Resolves an id or prefix to one thought the caller may see; what it may not see is as if it did not exist. */
import { type Outcome, ok, refuse } from '../record/outcome.ts';
import type { Principal } from '../record/principal.ts';
import { isVisible, type View } from '../record/visibility.ts';
import type { Index } from '../store/index/index.ts';
import type { StoredThought } from '../store/index/types.ts';

/** Ids are 26 characters; a prefix of fewer than 4 names everything saved in the same months. */
const MIN_PREFIX = 4;
const MAX_CANDIDATES = 5;
/** Rows looked at for one prefix: enough for any real prefix, bounded for a hostile one. */
const PREFIX_SCAN = 2_000;

export interface FindOptions {
  readonly principal: Principal;
  /** Visible in any of these views. */
  readonly views: readonly View[];
  /** Only in this scope; absent: in every scope. */
  readonly scope?: string;
}

export function findThought(index: Index, idOrPrefix: string, options: FindOptions): Outcome<StoredThought> {
  const id = idOrPrefix.toUpperCase();
  if (!/^[0-9A-HJKMNP-TV-Z]+$/.test(id) || id.length > 26 || id.length < MIN_PREFIX) {
    return refuse('invalid', `"thought_id" is not an id or a prefix of ${MIN_PREFIX} to 26 characters`, {
      field: 'thought_id',
      next: 'Send the whole id from recall',
    });
  }
  const rows = id.length === 26 ? index.thoughtById(id) : index.thoughtsByPrefix(id, PREFIX_SCAN);
  const seen = rows.filter(
    (row) =>
      (options.scope === undefined || row.scope === options.scope) &&
      options.views.some((view) => isVisible(row.facts, { principal: options.principal, view })),
  );
  const [first, second] = seen;
  if (first === undefined) return notFound(options.scope);
  if (second === undefined) return ok(first);
  return refuse('ambiguous', `"thought_id" names ${seen.length} thoughts`, {
    field: 'thought_id',
    next: 'Send the whole id of one of the candidates',
    details: { candidates: seen.slice(0, MAX_CANDIDATES).map((row) => ({ thought_id: row.thought.thought_id })) },
  });
}

function notFound(scope: string | undefined): Outcome<never> {
  const where = scope === undefined ? 'the record' : `scope "${scope}"`;
  return refuse('not_found', `No thought of that id is visible to you in ${where}`, {
    field: 'thought_id',
    next: 'Look for it with recall, or check the scope with list_scopes',
  });
}

/** The thought that a person is about to decide about, as far as they may. */
import { mayDecideIn } from '../record/grants.ts';
import { QUARANTINED } from '../record/lifecycle.ts';
import { type Outcome, ok } from '../record/outcome.ts';
import { isCredentialed, isOperatorByKey, type Principal } from '../record/principal.ts';
import type { View } from '../record/visibility.ts';
import type { Index } from '../store/index/index.ts';
import type { StoredThought } from '../store/index/types.ts';
import { findThought, viewsOf } from './find-thought.ts';
import { needsOwnKey } from './guard.ts';
import { checkDecidable } from './replace-file.ts';

/**
 * Where a decision looks: an operator's key opens everything. Whoever came with a credential finds what waits in the
 * scopes of their `decide` grants, and there also what they may read, so that a page that went stale is told why.
 */
export function decidableViews(principal: Principal, scope: string): readonly View[] {
  if (isOperatorByKey(principal)) return ['history'];
  return mayDecideIn(principal, scope) ? ['review', ...viewsOf(principal)] : [];
}

/** Code `not_found` for what the principal may not decide about, as for what is not there. */
export function findDecidable(
  index: Index,
  asked: { readonly principal: Principal; readonly thought_id: string; readonly scope: string },
): Outcome<StoredThought> {
  const { principal, thought_id, scope } = asked;
  const found = findThought(index, thought_id, { principal, views: decidableViews(principal, scope), scope });
  if (!found.ok) return found;
  const row = found.value;
  if (row.reason === QUARANTINED && isCredentialed(principal)) {
    return needsOwnKey('A decision about what is in quarantine', principal);
  }
  const held = checkDecidable(row);
  return held.ok ? ok(row) : held;
}

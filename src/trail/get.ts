/** Reads one thought whole. */
import { type Outcome, ok, refuse } from '../record/outcome.ts';
import { parseScope } from '../record/scope.ts';
import { isValidAt, validityOf } from '../record/temporal.ts';
import type { View } from '../record/visibility.ts';
import { hidesWithdrawn, parseMoments, readAsKnown } from './as-known.ts';
import type { TrailContext } from './context.ts';
import { findThought } from './find-thought.ts';
import { checkView } from './guard.ts';
import type { GetInput, GetResult } from './types.ts';
import { checkStatuses } from './view-arguments.ts';

const FULL_ID = 26;
const WHOLE = { bodyCap: Number.MAX_SAFE_INTEGER, withClaim: true } as const;

export async function get(context: TrailContext, input: GetInput): Promise<Outcome<GetResult>> {
  const { principal } = context;
  const scope = parseScope(input.trail_name);
  if (!scope.ok) return scope;
  const moments = parseMoments(input);
  if (!moments.ok) return moments;
  // Without a mode an id opens what explains a decision too: approved but superseded, and the caller's own. Not where
  // what agents may learn of an earlier time is only what was approved and current then.
  const isHiding = hidesWithdrawn(context, moments.value);
  const view: View = input.mode ?? (isHiding ? 'governed' : 'lineage');
  const refusal = checkView(view, principal) ?? checkStatuses(input);
  if (refusal !== null) return refusal;
  const asked = { moments: moments.value, view, scopes: [scope.value] };
  const read = await readAsKnown(context, asked, ({ index, mayShow, show }) => {
    // Who decides about a proposal reads it first; to anybody else that view is empty.
    const views = view === 'lineage' ? [view, 'review' as const] : [view];
    const options = { principal, views, accepts: mayShow };
    const inScope = findThought(index, input.thought_id, { ...options, scope: scope.value });
    const isAnywhere = !inScope.ok && input.thought_id.length === FULL_ID && view !== 'authoring' && !isHiding;
    // A whole id is unique over all scopes; the caller's own drafts never answer for another scope (fava.md 3.1).
    const elsewhere = isAnywhere
      ? findThought(index, input.thought_id, { principal, views: [view === 'lineage' ? 'governed' : view] })
      : inScope;
    const found = elsewhere.ok ? elsewhere : inScope;
    return found.ok ? ok({ row: found.value, shown: show(found.value, WHOLE) }) : found;
  });
  if (!read.ok) return read;
  const { value: found, state } = read.value;
  if (!found.ok) return found;
  const { row, shown } = found.value;
  const { validAt } = moments.value;
  if (validAt !== undefined && !isValidAt(validityOf(row.thought.metadata.extra), validAt)) {
    return refuse('not_found', `No thought of that id that was true then is visible to you in scope "${scope.value}"`, {
      field: 'valid_at',
      next: 'Ask again without "valid_at"',
    });
  }
  const isExcluded =
    (input.statuses !== undefined && !input.statuses.includes(row.thought.validation_status)) ||
    (view === 'history' && row.superseded && input.include_superseded === false);
  if (isExcluded) {
    return refuse('not_found', `No thought of that id is visible to you in scope "${scope.value}"`, {
      field: 'statuses',
      next: 'Ask again without "statuses"',
    });
  }
  return ok({
    status: 'ok',
    thought: shown,
    ...(state === undefined ? {} : { index: state }),
  });
}

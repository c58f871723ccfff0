/** Reads one thought whole. */
import { type Outcome, ok, refuse } from '../record/outcome.ts';
import { parseScope } from '../record/scope.ts';
import type { View } from '../record/visibility.ts';
import type { TrailContext } from './context.ts';
import { findThought } from './find-thought.ts';
import { checkView } from './guard.ts';
import { summarizeStored } from './summary.ts';
import type { GetInput, GetResult } from './types.ts';
import { checkStatuses } from './view-arguments.ts';

const FULL_ID = 26;

export async function get(context: TrailContext, input: GetInput): Promise<Outcome<GetResult>> {
  const { principal, repository } = context;
  const scope = parseScope(input.trail_name);
  if (!scope.ok) return scope;
  // Without a mode an id opens what explains a decision too: approved but superseded, and the caller's own.
  const view: View = input.mode ?? 'lineage';
  const refusal = checkView(view, principal) ?? checkStatuses(input);
  if (refusal !== null) return refusal;
  const { value, state } = await repository.read((index) => {
    const options = { principal, views: [view] };
    const inScope = findThought(index, input.thought_id, { ...options, scope: scope.value });
    // A whole id is unique over all scopes; the caller's own drafts never answer for another scope (fava.md 3.1).
    if (inScope.ok || input.thought_id.length < FULL_ID || view === 'authoring') return inScope;
    const elsewhere = findThought(index, input.thought_id, {
      principal,
      views: [view === 'lineage' ? 'governed' : view],
    });
    return elsewhere.ok ? elsewhere : inScope;
  });
  if (!value.ok) return value;
  const row = value.value;
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
    thought: summarizeStored(row, { bodyCap: Number.MAX_SAFE_INTEGER, withClaim: true }),
    ...(state === undefined ? {} : { index: state }),
  });
}

/** What a person is asked before an approval that comes through an agent's tool. Nothing is written here. */
import { checkDecide } from '../record/lifecycle.ts';
import { type Outcome, ok } from '../record/outcome.ts';
import { parseScope } from '../record/scope.ts';
import { checkClaim } from './check-claim.ts';
import type { TrailContext } from './context.ts';
import { checkRules } from './decide-checks.ts';
import { findDecidable } from './find-decidable.ts';
import { checkDecider } from './guard.ts';
import { type Proposal, proposalOf } from './proposal.ts';
import type { AskInput } from './types.ts';

/**
 * The thought as it is now, for the person who decides; `null` when it was decided, as the decision itself will say.
 * For who may decide. What would be refused whatever the person says is refused before anybody is asked.
 */
export async function ask(context: TrailContext, input: AskInput): Promise<Outcome<Proposal | null>> {
  const { principal, repository } = context;
  const refusal = checkDecider('A person\'s decision ("approve")', principal);
  if (refusal !== null) return refusal;
  const scope = parseScope(input.trail_name);
  if (!scope.ok) return scope;
  const { value } = await repository.read((index): Outcome<Proposal | null> => {
    const found = findDecidable(index, { principal, thought_id: input.thought_id, scope: scope.value });
    if (!found.ok) return found;
    const row = found.value;
    const step = checkDecide(row, 'approve');
    if (!step.ok || !step.value.changes) return ok(null);
    const refused =
      checkClaim(input.claim, row.thought) ?? checkRules({ index }, row, { context, input: { verdict: 'approve' } });
    return refused ?? ok(proposalOf(index, row, context));
  });
  return value;
}

import { claimDigest } from '../record/claim.ts';
import { type Refusal, refuse } from '../record/outcome.ts';
import type { Thought } from '../record/thought.ts';

/** A decision is about one exact claim: if the thought changed since it was reviewed, the decision is refused. */
export function checkClaim(reviewed: string | undefined, thought: Thought): Refusal | null {
  if (reviewed === undefined) return null;
  const current = claimDigest(thought);
  if (reviewed === current) return null;
  return refuse('conflict', `The claim changed since it was reviewed: reviewed "${reviewed}", now "${current}"`, {
    field: 'claim',
    rule: 'claim_changed',
    next: 'Read the thought again with get_thought, review it, and send its new "claim"',
    details: { reviewed, current },
  });
}

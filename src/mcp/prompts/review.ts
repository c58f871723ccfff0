/** One proposal for the person who decides, and what to look at. The model prepares; the person decides. */
import { randomBytes } from 'node:crypto';
import { type Outcome, ok } from '../../record/outcome.ts';
import type { Operations } from '../../trail/operations.ts';
import { fence } from '../fence.ts';
import { describeProposal } from '../question.ts';

/** Code `not_found` when it does not wait for the caller. */
export async function review(operations: Operations, id: string): Promise<Outcome<string>> {
  const found = await operations.readProposal({ thought_id: id });
  if (!found.ok) return found;
  const { entry, claim } = found.value;
  const call = {
    trail_name: entry.source_trail,
    thought_id: entry.thought_id,
    approval: 'human',
    claim,
  };
  const stored = fence(describeProposal(found.value), randomBytes(9).toString('hex'));
  return ok(`A proposal waits for the decision of the person you work for. You prepare it; you do not decide.

${stored}

Show the person the whole text, then say briefly:
1. What would change: what it replaces, and what of that it drops.
2. What speaks against it: approved thoughts it contradicts or repeats, rejected values it comes close to.
3. Whether its reasons and causes carry it; trace its id where that is in doubt.

Once the person has said in their own words that they approve exactly this text, call propose_truth with ${JSON.stringify(call)}. To reject it or to ask for changes they use the dialog that call opens, the review desk, or "waymark review".`);
}

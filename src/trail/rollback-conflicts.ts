/** Takes back steps that would leave a thought current beside its replacement, or beside what it replaced. */
import { isSameSuccessor, type Successor, successorOf } from '../record/return-to.ts';
import { isGone, type RollbackSteps } from './rollback-steps.ts';

export function leaveWhatCannotStand(steps: RollbackSteps): void {
  leaveBesideReplacement(steps);
  leaveBesidePredecessor(steps);
}

/** What would be current again, or retired by another one, although what replaced it does not provably go. */
function leaveBesideReplacement(steps: RollbackSteps): void {
  for (const { row, result } of steps.all()) {
    const now = successorOf(row);
    if (now === null || isSameSuccessor(now, result.successor) || isGone(result.status)) continue;
    const after = steps.after(now.id, now.scope);
    if (after === null) steps.leave(row, `its replacement "${now.id}" is unverified or gone`);
    else if (after.status === 'approved') steps.leave(row, `its replacement "${now.id}" stays approved`);
  }
}

/** What would be approved again, although what it replaced is not retired by it: the rule of every approval. */
function leaveBesidePredecessor(steps: RollbackSteps): void {
  for (const { row, result } of steps.all()) {
    const { thought_id, supersedes_id: id, supersedes_scope: scope, validation_status } = row.thought;
    if (id === undefined || validation_status === 'approved' || result.status !== 'approved') continue;
    const why = whyNotReplacing(steps, thought_id, { id, scope });
    if (why !== null) steps.leave(row, why);
  }
}

function whyNotReplacing(steps: RollbackSteps, thoughtId: string, replaced: Successor): string | null {
  const after = steps.after(replaced.id, replaced.scope);
  if (after === null) return `what it replaced, "${replaced.id}", is unverified or gone`;
  const { successor, status } = after;
  if (successor === null) return isGone(status) ? null : `what it replaced, "${replaced.id}", stays current`;
  if (successor.id === thoughtId) return null;
  const rival = steps.after(successor.id, successor.scope);
  return rival?.status === 'approved' ? `"${successor.id}" has replaced "${replaced.id}"` : null;
}

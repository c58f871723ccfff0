/** Thoughts of other scopes that must change with the steps: what replaced a thought, and what it had replaced. */
import { isSameSuccessor, type Successor, successorOf } from '../record/return-to.ts';
import { isGone, type RollbackStep, type RollbackSteps } from './rollback-steps.ts';

export interface PartnerOptions {
  /** The scope that is rolled back; its thoughts have their steps already. */
  readonly scope: string;
  /** Plans for a thought by its own past. */
  readonly plan: (id: string, scope: string) => Promise<void>;
}

/** Goes on from thought to thought until each replacement stands together with what it replaced. */
export async function addPartners(steps: RollbackSteps, options: PartnerOptions): Promise<void> {
  const open = [...steps.all()];
  const seen = new Set(open.map(({ row }) => row.path));
  for (let step = open.shift(); step !== undefined; step = open.shift()) {
    await addSuccessors(steps, step, options);
    addPredecessor(steps, step, options);
    for (const added of steps.all().filter(({ row }) => !seen.has(row.path))) {
      seen.add(added.row.path);
      open.push(added);
    }
  }
}

/** What replaced it since, and what is to replace it again. */
async function addSuccessors(steps: RollbackSteps, step: RollbackStep, options: PartnerOptions): Promise<void> {
  const { row, result } = step;
  const now = successorOf(row);
  const goes = !isGone(row.thought.validation_status) && isGone(result.status);
  if (now !== null && (goes || !isSameSuccessor(now, result.successor))) {
    await addSuccessor(steps, now, { ...options, isApproved: true });
  }
  if (result.successor !== null) await addSuccessor(steps, result.successor, { ...options, isApproved: false });
}

async function addSuccessor(
  steps: RollbackSteps,
  successor: Successor,
  { scope, plan, isApproved }: PartnerOptions & { readonly isApproved: boolean },
): Promise<void> {
  const row = steps.one(successor.id, successor.scope);
  if (row === null || row.scope === scope || steps.has(row)) return;
  if ((row.thought.validation_status === 'approved') === isApproved) await plan(row.thought.thought_id, row.scope);
}

/** What it replaced: retired by it when it comes back, whoever retires it now; else current again when it goes. */
function addPredecessor(steps: RollbackSteps, { row, result }: RollbackStep, { scope }: PartnerOptions): void {
  const { supersedes_id: id, thought_id, validation_status } = row.thought;
  const predecessor = id === undefined ? null : steps.one(id, row.thought.supersedes_scope);
  const after = predecessor === null ? null : steps.after(predecessor.thought.thought_id, predecessor.scope);
  if (predecessor === null || after === null || predecessor.scope === scope) return;
  const comes = validation_status !== 'approved' && result.status === 'approved' && !isGone(after.status);
  const goes = validation_status === 'approved' && result.status !== 'approved';
  const isRetiredByIt = successorOf(predecessor)?.id === thought_id;
  if (comes && after.successor?.id !== thought_id) steps.linkPartner(predecessor, { id: thought_id, scope: row.scope });
  else if (goes && isRetiredByIt && !steps.has(predecessor)) steps.linkPartner(predecessor, null);
}

/**
 * What a rollback would do: one step for each thought that differs from what it was, and what it leaves alone.
 *
 * A replacement and what it replaced change together, or both would be current: where the other one lies in another
 * scope it is a partner, which the caller must name.
 */
import { isOpen } from '../record/lifecycle.ts';
import { parseThoughtPath } from '../record/paths.ts';
import { type Return, returnTo, successorOf } from '../record/return-to.ts';
import type { Thought } from '../record/thought.ts';
import { findSecretThoroughly } from '../secrets/second-opinion.ts';
import type { Index } from '../store/index/index.ts';
import type { StoredThought } from '../store/index/types.ts';
import type { EarlierProof, EarlierRecord, EarlierThought } from './earlier.ts';
import { saysErased } from './erasure/erased-thought.ts';
import { leaveWhatCannotStand } from './rollback-conflicts.ts';
import { addPartners } from './rollback-partners.ts';
import { isGone, type RollbackStep, RollbackSteps } from './rollback-steps.ts';
import type { ConsultedText } from './tombstones/consult.ts';
import type { Consultation } from './tombstones/consultation.ts';
import type { RollbackChange } from './types.ts';

export interface RollbackPlan {
  readonly steps: readonly RollbackStep[];
  readonly left: readonly RollbackChange[];
}

export interface PlanSources {
  readonly index: Index;
  readonly earlier: EarlierRecord;
  readonly scope: string;
  readonly tombstones: Consultation;
}

/** Reasons of drafts that bring a text back start so. */
export const ROLLED_BACK = 'Rolled back to ';

/** Plans for the thoughts of the scope among `changed`, paths that may differ from what they were. */
export async function planRollback(sources: PlanSources, changed: Iterable<string>): Promise<RollbackPlan> {
  const steps = new RollbackSteps(sources.index);
  const plan = (id: string, scope: string) => planThought(steps, { id, scope }, sources);
  for (const id of thoughtsIn(changed, sources.scope)) await plan(id, sources.scope);
  keepTextsBroughtBack(steps);
  await addPartners(steps, { scope: sources.scope, plan });
  leaveWhatCannotStand(steps);
  return { steps: steps.all(), left: steps.left() };
}

/** Ids of the thoughts of the scope that have a file among the paths, in order. */
export function thoughtsIn(paths: Iterable<string>, scope: string): readonly string[] {
  const ids = new Set<string>();
  for (const path of paths) {
    const place = parseThoughtPath(path);
    if (place?.scope === scope) ids.add(place.id);
  }
  return [...ids].sort();
}

/** Plans for one thought by its own past. */
async function planThought(
  steps: RollbackSteps,
  { id, scope }: { readonly id: string; readonly scope: string },
  sources: PlanSources,
): Promise<void> {
  const rows = steps.rows(id, scope);
  const past = await sources.earlier.thought(id, scope);
  const [row, second] = rows;
  if (row === undefined) {
    if (past.standing.kind !== 'absent') steps.note(id, { scope, why: 'its file is gone or cannot be read' });
    return;
  }
  if (second !== undefined) return steps.leave(row, `it exists ${rows.length} times in the scope`);
  if (row.held && saysErased(row.thought)) return steps.leave(row, 'its text was erased');
  if (!row.held) return steps.leave(row, `unverified now: ${row.reason ?? 'no_event'}`);
  if (past.standing.kind === 'unproved') return steps.leave(row, 'no signed event proves what it was');
  const { thought, superseded } = row;
  const result = returnTo(past.standing, { thought, superseded, approvedSince: isApprovedIn(past, row) });
  if (result !== null) await addStep(steps, { row, result, earlier: past.proof ?? null }, sources);
}

interface Planned {
  readonly row: StoredThought;
  readonly result: Return;
  readonly earlier: EarlierProof | null;
}

async function addStep(steps: RollbackSteps, { row, result, earlier }: Planned, sources: PlanSources): Promise<void> {
  const isPartner = row.scope !== sources.scope;
  if (bringsToLife(row, result) && isKeptOut(sources, { scope: row.scope, body: row.thought.body })) {
    return steps.leave(row, 'a tombstone keeps its text out');
  }
  // Another scope gets back no text that nobody there asked for.
  const text = result.bringsTextBack && !isPartner ? earlier?.thought : undefined;
  const refused = text === undefined ? null : await whyNotBack(row, text, sources);
  const bringsTextBack = text !== undefined && refused === null;
  steps.put({ row, result: { ...result, bringsTextBack }, earlier, isPartner });
  if (refused !== null) steps.note(row.thought.thought_id, { ...row, why: refused });
}

/** Why a text may not come back as a new draft: the checks of every save. */
async function whyNotBack(row: StoredThought, text: Thought, sources: PlanSources): Promise<string | null> {
  if (isKeptOut(sources, { scope: row.scope, body: text.body })) return 'a tombstone keeps its text of then out';
  return (await findSecretThoroughly(text)) === null ? null : 'its text of then holds a secret';
}

/** As the choke point of every write has it (`tombstones/check-change.ts`). */
function bringsToLife(row: StoredThought, { status, successor }: Return): boolean {
  if (isGone(status) || successor !== null) return false;
  const { validation_status: now } = row.thought;
  const rises = status !== now && (status === 'proposed' || status === 'approved');
  return isGone(now) || successorOf(row) !== null || rises;
}

function isKeptOut({ index, tombstones }: PlanSources, text: ConsultedText): boolean {
  return tombstones.of(index, text).equal !== null;
}

/** A rollback before this one brought the text back already: that draft stays. */
function keepTextsBroughtBack(steps: RollbackSteps): void {
  for (const step of steps.all()) {
    if (!step.result.bringsTextBack) continue;
    const kept = steps.all().find((other) => isTextBackOf(other, step));
    if (kept === undefined) continue;
    steps.drop(kept.row);
    steps.put({ ...step, result: { ...step.result, bringsTextBack: false } });
  }
}

function isTextBackOf({ row: { thought: draft }, earlier }: RollbackStep, edited: RollbackStep): boolean {
  const then = edited.earlier?.thought;
  return (
    earlier === null &&
    isOpen(draft.validation_status) &&
    draft.parent_id === edited.row.thought.thought_id &&
    draft.supersedes_id === then?.supersedes_id &&
    draft.body === then?.body &&
    String(draft.metadata.extra['reason']).startsWith(ROLLED_BACK)
  );
}

function isApprovedIn({ since }: EarlierThought, { thought }: StoredThought): boolean {
  return since.some(({ envelope }) =>
    envelope._local?.files?.some(
      ({ thought_id, status, after }) => thought_id === thought.thought_id && status === 'approved' && after !== null,
    ),
  );
}

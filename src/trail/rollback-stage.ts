/** Turns the steps of a rollback into events with their files, each step through the checks of the single operation. */
import { claimDigest } from '../record/claim.ts';
import { isOpen } from '../record/lifecycle.ts';
import { type Outcome, ok } from '../record/outcome.ts';
import { isSameSuccessor, standingName, successorOf } from '../record/return-to.ts';
import { OWNED_EXTRA_KEYS, type Thought } from '../record/thought.ts';
import { isoFromMillis } from '../record/time.ts';
import type { Draft } from '../store/draft.ts';
import { claimEventOf } from './causes.ts';
import type { TrailContext } from './context.ts';
import { checkRules } from './decide-checks.ts';
import { replaceFile } from './replace-file.ts';
import { ROLLED_BACK } from './rollback-plan.ts';
import type { RollbackStep } from './rollback-steps.ts';
import { stageNewThought } from './stage.ts';
import type { RollbackChange } from './types.ts';
import { withdrawn } from './withdrawal.ts';
import type { ChangeEvent } from './write.ts';

export interface StageOptions {
  readonly context: TrailContext;
  /** The point, as reasons name it. */
  readonly point: string;
}

export interface StagedStep {
  readonly events: readonly ChangeEvent[];
  readonly changes: readonly RollbackChange[];
}

export async function stageStep(draft: Draft, step: RollbackStep, options: StageOptions): Promise<Outcome<StagedStep>> {
  const changed = await stageChange(draft, step, options);
  if (!changed.ok || !step.result.bringsTextBack) return changed;
  const back = await stageTextBack(draft, step, options);
  if (!back.ok) return back;
  return ok({
    events: [...changed.value.events, ...back.value.events],
    changes: [...changed.value.changes, ...back.value.changes],
  });
}

/** The thought itself: another status, another back-link, or both. */
async function stageChange(draft: Draft, step: RollbackStep, options: StageOptions): Promise<Outcome<StagedStep>> {
  const { row, result } = step;
  const change = changeOf(step);
  if (change === null) return ok({ events: [], changes: [] });
  const refusal = checkApproval(draft, step, options.context);
  if (refusal !== null) return refusal;
  const reason = `${ROLLED_BACK}${options.point}: ${change.why}`;
  const thought = thoughtAfter(step, { reason, now: draft.now, agentId: options.context.principal.agent_id });
  const files = await replaceFile(draft, { row, thought });
  if (!files.ok) return files;
  const { thought_id } = row.thought;
  const event: ChangeEvent = {
    verb: 'rollback',
    informed_by: [row.event, claimEventOf(draft.index, thought_id), step.earlier?.event].flatMap((hash) => hash ?? []),
    local: { scope: row.scope, thought_id, status: result.status, reason },
    files: files.value,
    claim: claimDigest(row.thought),
  };
  return ok({ events: [event], changes: [change] });
}

/** What happens to the thought itself; `null` when only its earlier text comes back. */
export function changeOf(step: RollbackStep): RollbackChange | null {
  const { row, result } = step;
  const before = successorOf(row);
  const { thought_id, validation_status } = row.thought;
  if (result.status === validation_status && isSameSuccessor(before, result.successor)) return null;
  const from = standingName(validation_status, before);
  const to = standingName(result.status, result.successor);
  return { thought_id, scope: row.scope, action: actionOf(from, to), from, to, why: reasonFor(step) };
}

/** What is approved again had been approved by somebody; whoever brings it back is held to the scope's rule too. */
function checkApproval(draft: Draft, { row, result }: RollbackStep, context: TrailContext) {
  const isApproval = result.status === 'approved' && row.thought.validation_status !== 'approved';
  return isApproval ? checkRules(draft, row, { context, input: { verdict: 'approve' } }) : null;
}

interface After {
  readonly reason: string;
  readonly now: number;
  readonly agentId: string;
}

function thoughtAfter({ row, result, earlier }: RollbackStep, after: After): Thought {
  const { superseded_by, superseded_scope, ...rest } = row.thought;
  const { successor, status } = result;
  const linked: Thought = {
    ...rest,
    ...(successor === null ? {} : { superseded_by: successor.id }),
    ...(successor?.scope === undefined ? {} : { superseded_scope: successor.scope }),
  };
  if (status === rest.validation_status) return linked;
  if (status === 'tombstoned') return withdrawn(linked, { ...after, verb: 'rollback' });
  if (earlier === null || claimDigest(earlier.thought) !== claimDigest(row.thought)) {
    return { ...linked, validation_status: status };
  }
  // With the status comes what the file of then says of the decision behind it; neither is part of the claim.
  const { trust_gate, approval, ...extra } = rest.metadata.extra;
  const { trust_gate: gate, approval: approved } = earlier.thought.metadata.extra;
  const provenance = {
    ...(gate === undefined ? {} : { trust_gate: gate }),
    ...(approved === undefined ? {} : { approval: approved }),
  };
  return { ...linked, validation_status: status, metadata: { ...rest.metadata, extra: { ...extra, ...provenance } } };
}

/** The text of then as a new draft of the operator; the present text stays what it is. */
async function stageTextBack(draft: Draft, step: RollbackStep, options: StageOptions): Promise<Outcome<StagedStep>> {
  const { row, earlier } = step;
  if (earlier === null) throw new Error('A text that comes back was proved');
  const { context, point } = options;
  const { thought_id: parent_id } = row.thought;
  const why = 'its text was edited since, and the text of then comes back as a new draft';
  const reason = `${ROLLED_BACK}${point}: ${why}`;
  const thought = draftOf(earlier.thought, { id: context.newId(), reason, now: draft.now, context });
  const namespace = isOpen(earlier.thought.validation_status) ? earlier.namespace : 'drafts';
  const files = await stageNewThought(draft, thought, { scope: row.scope, namespace });
  if (!files.ok) return files;
  const { thought_id } = thought;
  const event: ChangeEvent = {
    verb: 'save',
    informed_by: [row.event, earlier.event].flatMap((hash) => hash ?? []),
    local: { scope: row.scope, thought_id, status: 'draft', reason },
    files: files.value,
  };
  const standing = standingName(row.thought.validation_status, successorOf(row));
  const change: RollbackChange = {
    thought_id: parent_id,
    scope: row.scope,
    action: 'redraft',
    from: standing,
    to: 'draft',
    why,
    new_thought_id: thought_id,
  };
  return ok({ events: [event], changes: [change] });
}

interface NewDraft {
  readonly id: string;
  readonly reason: string;
  readonly now: number;
  readonly context: TrailContext;
}

function draftOf(earlier: Thought, { id, reason, now, context }: NewDraft): Thought {
  const { superseded_by, superseded_scope, ...kept } = earlier;
  const owned: readonly string[] = OWNED_EXTRA_KEYS;
  const extra = Object.fromEntries(Object.entries(kept.metadata.extra).filter(([key]) => !owned.includes(key)));
  return {
    ...kept,
    thought_id: id,
    parent_id: earlier.thought_id,
    agent_id: context.principal.agent_id,
    validation_status: 'draft',
    created_at: isoFromMillis(now),
    metadata: { ...kept.metadata, extra: { ...extra, reason } },
  };
}

function actionOf(from: string, to: string): RollbackChange['action'] {
  if (to === 'tombstoned') return 'withdraw';
  if (to === 'superseded') return 'retire';
  return from === 'superseded' ? 'reinstate' : 'return';
}

function reasonFor({ row, result, earlier }: RollbackStep): string {
  const now = successorOf(row);
  if (result.status === 'tombstoned') {
    if (earlier === null) return 'it was drafted since';
    return `it was ${earlier.thought.validation_status} then`;
  }
  if (result.successor !== null) return `"${result.successor.id}" had replaced it then`;
  if (now !== null) return `"${now.id}" replaced it since`;
  return `it was ${earlier?.thought.validation_status ?? 'draft'} then`;
}

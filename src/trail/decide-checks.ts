/** What a decision is held to besides authority: its reason, its grounds, and whose thought it is about. */
import { checkText, LIMITS } from '../record/limits.ts';
import { type Refusal, refuse } from '../record/outcome.ts';
import type { Draft } from '../store/draft.ts';
import type { StoredThought } from '../store/index/types.ts';
import { isAuthorOf } from './causes.ts';
import type { TrailContext } from './context.ts';
import { scopeSettings } from './settings.ts';
import type { DecideInput } from './types.ts';

/** A reason for everything but an approval; grounds and keeping out belong to a rejection. Code `invalid`. */
export function checkDecision(input: DecideInput): Refusal | null {
  return checkReason(input) ?? checkGrounds(input);
}

function checkReason({ verdict, reason }: DecideInput): Refusal | null {
  if (reason !== undefined && reason.trim() !== '') {
    return checkText(reason, { field: 'reason', bytes: LIMITS.reasonBytes });
  }
  if (verdict === 'approve') return null;
  return refuse('invalid', `Verdict "${verdict}" needs a "reason"`, {
    field: 'reason',
    next: 'Say why, so that the author can act on it',
  });
}

function checkGrounds({ verdict, grounds, keep_out }: DecideInput): Refusal | null {
  if (verdict === 'reject') return null;
  const field = grounds !== undefined ? 'grounds' : keep_out !== undefined ? 'keep_out' : null;
  if (field === null) return null;
  return refuse('invalid', `"${field}" belongs to the verdict "reject", not to "${verdict}"`, {
    field,
    next: `Leave "${field}" out`,
  });
}

/**
 * `separation: required` in a scope: the approver is not the author, nor whoever wrote its present text. Code
 * `authority`, rule `separation_required`.
 */
export function checkSeparation(
  draft: Pick<Draft, 'index'>,
  row: StoredThought,
  context: TrailContext,
): Refusal | null {
  const isOwn = isAuthorOf(draft.index, row.thought, context.principal.agent_id);
  if (!isOwn || scopeSettings(draft.index, row.scope).separation !== 'required') return null;
  return refuse('authority', `Scope "${row.scope}" requires separation, and you are the author`, {
    rule: 'separation_required',
    next: 'Ask another operator to decide',
  });
}

/**
 * `confirm: required` in a scope: a call through an agent's tool is no decision by itself. Code `authority`, rule
 * `confirm_required`.
 */
export function checkConfirmed(
  draft: Pick<Draft, 'index'>,
  row: StoredThought,
  { unasked }: Pick<DecideInput, 'unasked'>,
): Refusal | null {
  if (unasked !== true || scopeSettings(draft.index, row.scope).confirm !== 'required') return null;
  return refuse('authority', `Scope "${row.scope}" requires that a person confirms, and this client cannot ask one`, {
    rule: 'confirm_required',
    next: 'A person decides with "waymark review"; propose it without "approval" meanwhile',
  });
}

/** What a decision is held to besides authority: its reason, its grounds, and whose thought it is about. */

import { isNamedTo } from '../record/foreign-scopes.ts';
import { checkText, LIMITS } from '../record/limits.ts';
import { type Refusal, refuse } from '../record/outcome.ts';
import { quote } from '../record/quote.ts';
import type { Draft } from '../store/draft.ts';
import type { StoredThought } from '../store/index/types.ts';
import { isAuthorOf } from './causes.ts';
import { checkRetiring } from './check-grants.ts';
import type { TrailContext } from './context.ts';
import { placesOf } from './places.ts';
import { settingsReader } from './settings.ts';
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
 * What the scopes a decision is held to ask for. Settings that are lost or malformed may have asked for more people than
 * one, or for others: nobody approves under them (rule `settings_unreadable`, code `conflict`).
 *
 * Whoever has grants approves nothing that retires a thought where they may not decide: rule `not_granted`.
 *
 * `separation: required`: who decides is not the author, nor whoever wrote the present text. `confirm: required`: a call
 * through an agent's tool is no decision by itself. `decisions: signed`: only the person's own key decides. Codes
 * `authority`, rules `separation_required`, `confirm_required`, `needs_signature`.
 */
export function checkRules(
  { index }: Pick<Draft, 'index'>,
  row: StoredThought,
  {
    context,
    input,
  }: {
    readonly context: Pick<TrailContext, 'principal' | 'attests'>;
    readonly input: Pick<DecideInput, 'verdict' | 'unasked'>;
  },
): Refusal | null {
  const { principal } = context;
  const foreign = input.verdict === 'approve' ? checkRetiring(index, row, principal) : null;
  if (foreign !== null) return foreign;
  const settings = settingsReader(index);
  const scopes = placesOf(index, row).map(({ scope }) => scope);
  const path = scopes.flatMap((scope) => settings.unreadable(scope) ?? [])[0];
  if (path !== undefined && input.verdict === 'approve') {
    const message = `The version of ${quote(path)} that an operator signed cannot be read, so nobody knows who must approve`;
    return refuse('conflict', message, {
      rule: 'settings_unreadable',
      next: `Put one in force with "waymark accept ${path}", then decide`,
    });
  }
  const signed = scopes.find((scope) => settings.of(scope).decisions === 'signed');
  if (signed !== undefined && context.attests !== undefined) {
    return refuse('authority', `${nameOf(principal, signed)} takes decisions signed by the person's own key alone`, {
      rule: 'needs_signature',
      next: `Decide with your operator key: "waymark review --scope ${row.scope}"`,
    });
  }
  const separated = scopes.find((scope) => settings.of(scope).separation === 'required');
  if (separated !== undefined && isAuthorOf(index, row.thought, principal.agent_id)) {
    return refuse('authority', `${nameOf(principal, separated)} requires separation, and you are the author`, {
      rule: 'separation_required',
      next: 'Ask another operator to decide',
    });
  }
  const confirmed = scopes.find((scope) => settings.of(scope).confirm === 'required');
  if (confirmed === undefined || input.unasked !== true) return null;
  return refuse(
    'authority',
    `${nameOf(principal, confirmed)} requires that a person confirms, and this client cannot ask one`,
    {
      rule: 'confirm_required',
      next: 'A person decides with "waymark review"; propose it without "approval" meanwhile',
    },
  );
}

function nameOf(principal: TrailContext['principal'], scope: string): string {
  return isNamedTo(principal, scope) ? `Scope "${scope}"` : 'The scope of what it would replace';
}

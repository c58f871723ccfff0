/** Rules every call passes before anything is looked up. */
import { type Outcome, ok, type Refusal, refuse } from '../record/outcome.ts';
import { isCredentialed, isOperatorByKey, type Principal } from '../record/principal.ts';
import { VALIDITY_FIELDS } from '../record/temporal.ts';
import { type JsonObject, OWNED_EXTRA_KEYS } from '../record/thought.ts';
import type { View } from '../record/visibility.ts';

/** `agent_id` is absent or the caller's own: identity comes from the process, never from an argument. */
export function checkAgentId(agentId: string | undefined, principal: Principal): Refusal | null {
  if (agentId === undefined || agentId === principal.agent_id) return null;
  return refuse('authority', `"agent_id" is not yours: this process acts as "${principal.agent_id}"`, {
    field: 'agent_id',
    rule: 'agent_id_mismatch',
    next: 'Leave "agent_id" out, or start the server with WAYMARK_AGENT_ID set to that agent',
  });
}

/** Callers may not send the keys of `extra` that Waymark and FAVA write. */
export function checkOwnedExtra(extra: JsonObject | undefined): Refusal | null {
  const key = OWNED_EXTRA_KEYS.find((owned) => extra !== undefined && Object.hasOwn(extra, owned));
  if (key === undefined) return null;
  return refuse('authority', `"metadata.extra.${key}" is written by Waymark alone`, {
    field: `metadata.extra.${key}`,
    rule: 'owned_extra_key',
    next: VALIDITY_FIELDS.some((field) => field === key)
      ? `Send it as the argument "${key}" of save_thought or supersede`
      : `Leave "metadata.extra.${key}" out`,
  });
}

/** A view that needs authority the caller lacks is refused, never narrowed. */
export function checkView(view: View, principal: Principal): Refusal | null {
  if (view !== 'history' || principal.role === 'operator') return null;
  return needsOperator('Mode "history"', { principal, field: 'mode', rule: 'history_needs_operator' });
}

/**
 * What needs an operator's own key. A credential gives no power but to read and to decide what waits: refused with rule
 * `needs_own_key` for whoever is an operator by one.
 */
export function checkOperator(what: string, principal: Principal): Refusal | null {
  if (isOperatorByKey(principal)) return null;
  return principal.role === 'operator'
    ? needsOwnKey(what, principal)
    : needsOperator(what, { principal, rule: 'needs_operator' });
}

/** What is for people who decide: an operator, or a person who signed in as reviewer or operator. */
export function checkDecider(what: string, principal: Principal): Refusal | null {
  if (principal.role === 'operator') return null;
  if (principal.role === 'reviewer' && isCredentialed(principal)) return null;
  return needsOperator(what, { principal, rule: 'needs_operator' });
}

export function needsOwnKey(what: string, { authenticated_by }: Principal): Refusal {
  return refuse('authority', `${what} needs your operator key, and you are known here by ${authenticated_by} alone`, {
    rule: 'needs_own_key',
    next: 'Do it with "waymark" on the command line of the machine that holds your operator key',
  });
}

interface Unentitled {
  readonly principal: Principal;
  readonly field?: string;
  readonly rule: string;
}

function needsOperator(what: string, { principal, ...rest }: Unentitled): Refusal {
  const who = isCredentialed(principal) ? `your credential is of role ${principal.role}` : 'this process is an agent';
  return refuse('authority', `${what} needs an operator, and ${who}`, {
    ...rest,
    next:
      principal.via === 'cli'
        ? 'Run it again with WAYMARK_OPERATOR=1, which asks for the rights of your operator key'
        : 'Ask a person with an enrolled operator key, who can run "waymark review"',
  });
}

/** The first refusal of a list of checks, as an outcome. */
export function allow(...checks: readonly (Refusal | null)[]): Outcome<null> {
  return checks.find((check) => check !== null) ?? ok(null);
}

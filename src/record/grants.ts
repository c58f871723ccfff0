/**
 * What a credential opens: rights on scopes. A grant only narrows what the role may; no grants at all means that nothing
 * is narrowed, as for a process on its own machine.
 */
import { type Outcome, ok, refuse } from './outcome.ts';
import type { Principal } from './principal.ts';
import { quote } from './quote.ts';
import { matchesGlob } from './scope-glob.ts';

export const RIGHTS = ['read', 'write', 'decide'] as const;
export type Right = (typeof RIGHTS)[number];

export interface Grant {
  /** A scope or a glob, as `acme/**`. */
  readonly scope: string;
  readonly rights: readonly Right[];
}

/** `write` and `decide` do not include `read`. */
export function isGranted(principal: Pick<Principal, 'grants'>, right: Right, scope: string): boolean {
  const { grants } = principal;
  if (grants === undefined) return true;
  return grants.some((grant) => grant.rights.includes(right) && matchesGlob(grant.scope, scope));
}

/** What the grants are called, in one order: what is made for one set of them is for no other. `null` without any. */
export function grantNames({ grants }: Pick<Principal, 'grants'>): readonly string[] | null {
  return grants === undefined ? null : grants.map(renderGrant).sort();
}

/** May the principal decide about proposals of the scope? Only people may, whatever an agent is granted. */
export function mayDecideIn(principal: Pick<Principal, 'grants' | 'role'>, scope: string): boolean {
  return principal.role !== 'agent' && isGranted(principal, 'decide', scope);
}

const GLOB = /^[A-Za-z0-9*][A-Za-z0-9._*-]*(?:\/[A-Za-z0-9*][A-Za-z0-9._*-]*)*$/;
const MAX_GLOB = 255;

/** Reads `SCOPE:right,right`, e.g. `acme/**:read,write`. Code `invalid`, field `grant`. */
export function parseGrant(text: string): Outcome<Grant> {
  const at = text.lastIndexOf(':');
  const scope = text.slice(0, Math.max(at, 0));
  const named = text.slice(at + 1).split(',');
  const rights = RIGHTS.filter((right) => named.includes(right));
  const isWhole = at > 0 && scope.length <= MAX_GLOB && GLOB.test(scope) && rights.length === named.length;
  if (isWhole) return ok({ scope, rights });
  return refuse('invalid', `Grant ${quote(text)} is not SCOPE:RIGHTS`, {
    field: 'grant',
    next: 'Write it as "acme/**:read,write": a scope or glob, a colon, and rights out of read, write, decide',
  });
}

/** The grant as {@link parseGrant} reads it. */
export function renderGrant({ scope, rights }: Grant): string {
  return `${scope}:${rights.join(',')}`;
}

/** Whether no scope, present or to come, is closed to the principal. */
export function readsEverywhere({ grants }: Pick<Principal, 'grants'>): boolean {
  return grants === undefined || grants.some(({ scope, rights }) => scope === '**' && rights.includes('read'));
}

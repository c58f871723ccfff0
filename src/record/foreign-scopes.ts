/** What a thought's links say of scopes that its reader does not know. */
import { isGranted, mayDecideIn } from './grants.ts';
import type { Principal } from './principal.ts';
import type { Thought } from './thought.ts';

/** The scope by name: who reads or decides there, and nobody else. */
export function isNamedTo(principal: Principal, scope: string): boolean {
  return isGranted(principal, 'read', scope) || mayDecideIn(principal, scope);
}

/**
 * The thought for who reads it: a move between scopes names the other one in the file, and that is left out where the
 * reader's grants do not reach it. The id stays, or it would look as if nothing had replaced it.
 */
export function withoutForeignScopes(thought: Thought, principal: Principal): Thought {
  if (principal.grants === undefined) return thought;
  const { supersedes_scope, superseded_scope, ...rest } = thought;
  return {
    ...rest,
    ...(supersedes_scope !== undefined && isNamedTo(principal, supersedes_scope) ? { supersedes_scope } : {}),
    ...(superseded_scope !== undefined && isNamedTo(principal, superseded_scope) ? { superseded_scope } : {}),
  };
}

/** Who is calling. Built from the process or the authenticated connection, never from a tool argument. */
import type { Grant } from './grants.ts';

export const ROLES = ['agent', 'reviewer', 'operator'] as const;
export type Role = (typeof ROLES)[number];

/**
 * What an enrolled key may be for: acting in a role, founding the record, taking it back from the owner key, or signing
 * what people decided who signed in to a server (`service`).
 */
export const KEY_ROLES = [...ROLES, 'owner', 'recovery', 'service'] as const;
export type KeyRole = (typeof KEY_ROLES)[number];

/** What vouches for a caller: the process itself, or what came with the request. */
export type Authentication = 'process' | 'token' | 'oauth' | 'link';

export interface Principal {
  readonly agent_id: string;
  readonly role: Role;
  /** The door: `stdio`, `http`, `cli`, `library`. */
  readonly via: string;
  /** Absent: every scope. */
  readonly grants?: readonly Grant[];
  /** @default process */
  readonly authenticated_by?: Authentication;
}

/** Did a credential say who it is? Then no key of theirs signs, and no operator's power but reading and deciding is theirs. */
export function isCredentialed({ authenticated_by = 'process' }: Pick<Principal, 'authenticated_by'>): boolean {
  return authenticated_by !== 'process';
}

/** An operator by a key of theirs that this process holds. */
export function isOperatorByKey(principal: Pick<Principal, 'role' | 'authenticated_by'>): boolean {
  return principal.role === 'operator' && !isCredentialed(principal);
}

/** Who a door found a request to come from, by what the request carried. */
export interface Credential {
  readonly agent_id: string;
  readonly role: Role;
  readonly grants: readonly Grant[];
  readonly authenticated_by: Exclude<Authentication, 'process'>;
  /** Names it in events, logs and limits: at most 64 of `[A-Za-z0-9_-]`, never any of its secret. */
  readonly id: string;
}

/** `[A-Za-z0-9][A-Za-z0-9._@-]{0,63}`: safe in file names, commit authors and messages. */
export const AGENT_ID = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/;

export function isAgentId(text: string): boolean {
  return AGENT_ID.test(text);
}

/** Is it one person, as far as names tell? Whoever may choose a name would else count twice, or not be the author, by its case. */
export function isSamePerson(agentId: string, other: string): boolean {
  return personKey(agentId) === personKey(other);
}

/** The same for all spellings of one person's agent id. */
export function personKey(agentId: string): string {
  return agentId.toLowerCase();
}

/** Who signs what a model says. */
export const GATE_AGENT_ID = 'trust-gate';
/** Who signs what people decided who signed in to a server. */
export const DESK_AGENT_ID = 'desk';

/** Names of ours, in whatever case: no process, credential or key of another role goes by one. */
export function isReservedAgentId(agentId: string): boolean {
  const name = agentId.toLowerCase();
  return name === GATE_AGENT_ID || name === DESK_AGENT_ID;
}

/** May a key of the role be given to the agent? A service goes by one name, and names of ours have one role each. */
export function mayGoBy(agentId: string, role: KeyRole): boolean {
  if (role === 'service') return agentId === DESK_AGENT_ID;
  return !isReservedAgentId(agentId) || (role === 'reviewer' && agentId === GATE_AGENT_ID);
}

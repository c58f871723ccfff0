/** Makes a token: whoever holds its text is that agent or person, as far as the grants reach. */
import { parseGrant, renderGrant } from '../../record/grants.ts';
import { type Outcome, ok, type Refusal, refuse } from '../../record/outcome.ts';
import { AGENT_ID, isAgentId, isReservedAgentId, type Principal, type Role } from '../../record/principal.ts';
import { quote } from '../../record/quote.ts';
import { findSecret } from '../../secrets/find-secret.ts';
import { secretRefusal } from '../../secrets/secret-refusal.ts';
import { parseExpiry } from './expiry.ts';
import type { StoredToken } from './token-file.ts';
import { newToken, tokenDigest } from './token-text.ts';
import type { Tokens } from './tokens.ts';

export interface CreateTokenInput {
  readonly agentId: string;
  readonly role: Role;
  /** As `acme/**:read,write`. */
  readonly grants: readonly string[];
  /** As `30d` or `2027-03-31`. */
  readonly expires: string;
  /** A reviewer's or operator's token opens `/mcp` too. */
  readonly allowMcp: boolean;
  /** For people. */
  readonly name?: string | undefined;
}

export interface CreatedToken {
  /** Shown once; only its digest is kept. */
  readonly text: string;
  readonly token: Omit<StoredToken, 'digest'>;
}

export interface CreateTokenTools {
  readonly tokens: Tokens;
  readonly principal: Principal;
  /** Unix milliseconds. */
  readonly now: number;
}

const MAX_GRANTS = 100;
const MAX_NAME = 100;

/** Only an operator lets others in. Codes `authority`, `invalid`, `secret`, `busy`, `repository`. */
export async function createToken(
  { tokens, principal, now }: CreateTokenTools,
  input: CreateTokenInput,
): Promise<Outcome<CreatedToken>> {
  if (principal.role !== 'operator') return notAnOperator(principal);
  const fault = faultOf(input);
  if (fault !== null) return fault;
  const grants = grantsOf(input);
  if (!grants.ok) return grants;
  const expires = parseExpiry(input.expires, now);
  if (!expires.ok) return expires;
  const { id, text } = newToken();
  const { agentId: agent_id, role, name, allowMcp } = input;
  const shown = {
    id,
    agent_id,
    role,
    grants: [...grants.value],
    ...(name === undefined ? {} : { name }),
    ...(allowMcp && role !== 'agent' ? { allow_mcp: true as const } : {}),
    created: new Date(now).toISOString(),
    expires: expires.value,
  };
  const added = await tokens.add({ ...shown, digest: tokenDigest(text).toString('hex') });
  return added.ok ? ok({ text, token: shown }) : added;
}

function notAnOperator({ agent_id, role }: Principal): Refusal {
  const message = `A token lets somebody in, which only an operator may; ${quote(agent_id)} is ${role} here`;
  return refuse('authority', message, {
    next: 'Run it as the holder of the operator key, on a terminal if the key has a passphrase; "waymark key show" names your keys',
  });
}

function faultOf({ agentId, name }: CreateTokenInput): Refusal | null {
  const secret = findSecret({ agentId, name });
  if (secret !== null) return secretRefusal(secret);
  if (!isAgentId(agentId)) {
    const message = `Agent id ${quote(agentId)} is malformed, expected a match of ${AGENT_ID.source}`;
    return refuse('invalid', message, { field: 'agent', next: 'Use letters, digits and . _ @ -, at most 64' });
  }
  if (isReservedAgentId(agentId.toLowerCase())) {
    const message = `Agent id ${quote(agentId)} is a name of Waymark's own`;
    return refuse('invalid', message, { field: 'agent', next: 'Choose another agent id' });
  }
  if (name !== undefined && name.length > MAX_NAME) {
    const message = `The name has ${name.length} characters, the limit is ${MAX_NAME}`;
    return refuse('invalid', message, { field: 'name', next: 'Shorten it' });
  }
  return null;
}

function grantsOf({ grants, role }: CreateTokenInput): Outcome<readonly string[]> {
  if (grants.length === 0 || grants.length > MAX_GRANTS) {
    return refuse('invalid', `A token has 1 to ${MAX_GRANTS} grants, got ${grants.length}`, {
      field: 'grant',
      next: 'Name what it opens, as --grant "acme/**:read,write"',
    });
  }
  const rendered: string[] = [];
  for (const text of grants) {
    const grant = parseGrant(text);
    if (!grant.ok) return grant;
    if (role === 'agent' && grant.value.rights.includes('decide')) {
      return refuse('invalid', `Grant ${quote(text)} lets an agent decide, and only people decide`, {
        field: 'grant',
        next: 'Leave "decide" out, or choose --role reviewer',
      });
    }
    rendered.push(renderGrant(grant.value));
  }
  return ok(rendered);
}

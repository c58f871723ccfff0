/** `waymark token create | list | revoke` */
import type { Role } from '../../record/principal.ts';
import { createToken } from '../../trail/tokens/create-token.ts';
import { type ListedToken, Tokens } from '../../trail/tokens/tokens.ts';
import { columns } from '../columns.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { fail, type Invocation, printResult, say } from '../invocation.ts';
import { withPerson, withRecord } from '../with-record.ts';

export interface CreateFlags {
  readonly agent: string;
  readonly role: Role;
  readonly grant: readonly string[];
  readonly expires: string;
  readonly allowMcp?: true;
  readonly name?: string;
}

/** The text goes to stdout, where a script takes it, and nowhere else. */
export async function create(invocation: Invocation, flags: CreateFlags): Promise<ExitCode> {
  return withPerson(invocation, async ({ record, session }) => {
    const { principal } = await session.identity();
    const { agent: agentId, role, grant: grants, expires, allowMcp = false, name } = flags;
    const tools = { tokens: new Tokens(record), principal, now: record.now() };
    const created = await createToken(tools, { agentId, role, grants, expires, allowMcp, name });
    if (!created.ok) return fail(invocation, created);
    const { text, token } = created.value;
    printResult(invocation, { status: 'ok', text, token }, () => [text]);
    if (!invocation.json) {
      const until = token.expires.slice(0, 16).replace('T', ' ');
      say(
        invocation,
        `token ${token.id} is ${token.agent_id}, ${token.role}, ${token.grants.join(' ')}, until ${until}`,
      );
      say(invocation, 'its text is shown this once; send it as "Authorization: Bearer ..."');
    }
    return EXIT.ok;
  });
}

export async function list(invocation: Invocation): Promise<ExitCode> {
  return withRecord(invocation, async (record) => {
    const listed = new Tokens(record).list();
    if (!listed.ok) return fail(invocation, listed);
    printResult(invocation, { status: 'ok', tokens: listed.value }, ({ tokens }) =>
      tokens.length === 0 ? ['No tokens'] : columns(tokens.map(row)),
    );
    return EXIT.ok;
  });
}

/** Needs no operator key: whoever can write the file could as well remove it, and ending one is urgent. */
export async function revoke(invocation: Invocation, id: string): Promise<ExitCode> {
  return withRecord(invocation, async (record) => {
    const revoked = await new Tokens(record).revoke(id);
    if (!revoked.ok) return fail(invocation, revoked);
    const { digest, ...token } = revoked.value;
    printResult(invocation, { status: 'ok', token }, () => [`Token ${id} of ${token.agent_id} is revoked`]);
    return EXIT.ok;
  });
}

function row(token: ListedToken): readonly string[] {
  const { id, agent_id, role, name = '', grants, state, expires, last_used, allow_mcp } = token;
  return [
    id,
    agent_id,
    role,
    name,
    grants.join(' '),
    state === 'in_force' ? `until ${expires.slice(0, 10)}` : state,
    last_used === undefined ? 'never used' : `used ${last_used.slice(0, 16).replace('T', ' ')}`,
    allow_mcp === true ? 'opens MCP' : '',
  ];
}

/** What `waymark mcp` opens on the first call. Apart, so that starting does not load it. */
import { type Outcome, ok } from '../record/outcome.ts';
import { openRecord } from '../trail/open.ts';
import { Session, type SessionOptions } from '../trail/session.ts';
import type { FoundRecord } from './find-record.ts';
import { type Invocation, say } from './invocation.ts';
import type { OpenSession } from './lazy-operations.ts';
import { openOptions } from './open-options.ts';
import { operatorKeyHolder } from './person.ts';

export interface StdioSessionOptions extends FoundRecord {
  readonly announce: NonNullable<SessionOptions['announce']>;
}

/** Never asks for a passphrase: the terminal, if there is one, belongs to the client. */
export async function openStdioSession(
  invocation: Invocation,
  found: StdioSessionOptions,
): Promise<Outcome<OpenSession>> {
  const { environment, located, announce } = found;
  const opened = await openRecord(located, openOptions(invocation, environment));
  if (!opened.ok) return opened;
  const record = opened.value;
  const agentId = environment.agentId ?? (environment.operator ? operatorKeyHolder(record) : undefined);
  const session = new Session(record, {
    via: 'stdio',
    wantsOperator: environment.operator,
    env: invocation.env,
    announce,
    ...(agentId === undefined ? {} : { agentId }),
  });
  const { notice } = await session.identity();
  if (notice !== undefined) say(invocation, notice);
  return ok({
    session,
    async close() {
      await session.close();
      await record.repository.close();
    },
  });
}

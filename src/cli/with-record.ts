/** Opens the record for one command, and closes it whatever happens. */
import { type OpenRecord, openRecord } from '../trail/open.ts';
import { Session } from '../trail/session.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { findRecord } from './find-record.ts';
import { gateLine } from './gate-line.ts';
import { fail, type Invocation, say } from './invocation.ts';
import { openOptions } from './open-options.ts';
import { terminalPassphrase } from './passphrase.ts';
import { personOf } from './person.ts';
import { progress } from './progress.ts';

export async function withRecord(
  invocation: Invocation,
  work: (record: OpenRecord) => Promise<ExitCode>,
): Promise<ExitCode> {
  const found = findRecord(invocation);
  if (!found.ok) return fail(invocation, found, { exit: EXIT.environment });
  const { environment, located } = found.value;
  const opened = await openRecord(located, openOptions(invocation, environment));
  if (!opened.ok) return fail(invocation, opened, { exit: EXIT.environment });
  try {
    return await work(opened.value);
  } finally {
    await opened.value.repository.close();
  }
}

/** As {@link withRecord}, with the index in step: a person would rather wait than get an answer from an older state. */
export async function withSettledRecord(
  invocation: Invocation,
  work: (record: OpenRecord) => Promise<ExitCode>,
): Promise<ExitCode> {
  return withRecord(invocation, async (record) => {
    await record.repository.settleIndex(progress(invocation));
    return work(record);
  });
}

export interface CommandSession {
  readonly record: OpenRecord;
  readonly session: Session;
}

/** The caller is `WAYMARK_AGENT_ID` as an agent; with `WAYMARK_OPERATOR=1` the person who has the operator key. */
export async function withSession(
  invocation: Invocation,
  work: (opened: CommandSession) => Promise<ExitCode>,
): Promise<ExitCode> {
  return withSettledRecord(invocation, async (record) => {
    const { agentId, operator } = record.environment;
    return asCaller(invocation, { record, agentId: operator ? personOf(record) : agentId, operator }, work);
  });
}

/** The caller is the person who has the operator key. */
export async function withPerson(
  invocation: Invocation,
  work: (opened: CommandSession) => Promise<ExitCode>,
): Promise<ExitCode> {
  return withSettledRecord(invocation, async (record) => asCaller(invocation, { record, ...personOn(record) }, work));
}

/** As {@link withPerson}, of a record that somebody else opens and closes. */
export function personSession(invocation: Invocation, record: OpenRecord): Session {
  return sessionOf(invocation, { record, ...personOn(record) });
}

function personOn(record: OpenRecord): Omit<Caller, 'record'> {
  return { agentId: personOf(record), operator: true };
}

interface Caller {
  readonly record: OpenRecord;
  readonly agentId: string | undefined;
  readonly operator: boolean;
}

async function asCaller(
  invocation: Invocation,
  caller: Caller,
  work: (opened: CommandSession) => Promise<ExitCode>,
): Promise<ExitCode> {
  const session = sessionOf(invocation, caller);
  try {
    const { notice } = await session.identity();
    if (notice !== undefined) say(invocation, notice);
    return await work({ record: caller.record, session });
  } finally {
    await session.close();
  }
}

function sessionOf(invocation: Invocation, { record, agentId, operator }: Caller): Session {
  return new Session(record, {
    via: 'cli',
    wantsOperator: operator,
    env: invocation.env,
    askPassphrase: terminalPassphrase,
    announce: (egress) => say(invocation, gateLine(egress)),
    ...(agentId === undefined ? {} : { agentId }),
  });
}

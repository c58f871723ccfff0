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
    const caller = operator ? personOf(record) : agentId;
    const session = new Session(record, {
      via: 'cli',
      wantsOperator: operator,
      env: invocation.env,
      askPassphrase: terminalPassphrase,
      announce: (egress) => say(invocation, gateLine(egress)),
      ...(caller === undefined ? {} : { agentId: caller }),
    });
    try {
      const { notice } = await session.identity();
      if (notice !== undefined) say(invocation, notice);
      return await work({ record, session });
    } finally {
      await session.close();
    }
  });
}

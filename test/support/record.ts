/** A real record in a temporary folder, with its own configuration and state folders. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readEnvironment } from '../../src/config/index.ts';
import type { Outcome } from '../../src/record/outcome.ts';
import type { Step } from '../../src/store/writer.ts';
import { init } from '../../src/trail/init.ts';
import { readRecord } from '../../src/trail/locate.ts';
import { type OpenRecord, openRecord } from '../../src/trail/open.ts';
import { Session } from '../../src/trail/session.ts';

export interface TestRecord {
  readonly root: string;
  /** Variables that make a process use this record's keys and state. */
  readonly env: Record<string, string>;
  readonly record: OpenRecord;
  readonly warnings: string[];
  /** Operations of one caller; `operator` asks for operator rights. */
  session(agentId: string, options?: { operator?: boolean }): Session;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface TestRecordOptions {
  readonly now?: () => number;
  /** More variables of its processes, such as a PATH with jj. */
  readonly variables?: Readonly<Record<string, string>>;
  readonly onStep?: (step: Step) => void | Promise<void>;
}

export async function makeRecord(options: TestRecordOptions = {}): Promise<TestRecord> {
  const home = mkdtempSync(join(tmpdir(), 'waymark-'));
  const root = join(home, 'data');
  const env = {
    HOME: home,
    XDG_CONFIG_HOME: join(home, 'config'),
    XDG_STATE_HOME: join(home, 'state'),
    ...options.variables,
  };
  const warnings: string[] = [];
  const common = {
    environment: value(readEnvironment(env)),
    env,
    producer: 'waymark/test',
    warn: (message: string, cause: unknown) => void warnings.push(`${message}: ${String(cause)}`),
    ...options,
  };
  value(await init(root, common));
  const located = readRecord(root);
  if (located === null) throw new Error('No record was made');
  const record = value(await openRecord(value(located), common));
  const sessions: Session[] = [];
  return {
    root,
    env,
    record,
    warnings,
    session(agentId, { operator = false } = {}) {
      const session = new Session(record, { via: 'library', agentId, wantsOperator: operator, env: {} });
      sessions.push(session);
      return session;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(sessions.map((session) => session.close()));
      await record.repository.close();
      rmSync(home, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/** The value of an outcome that must be ok. */
export function value<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value;
  throw new Error(`Refused: ${outcome.code}: ${outcome.message} (${outcome.next})`);
}

/** A real record in a temporary folder that is opened and closed as often as a test wants, also by other processes. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readEnvironment } from '../../src/config/index.ts';
import type { Step } from '../../src/store/writer.ts';
import { init } from '../../src/trail/init.ts';
import { readRecord } from '../../src/trail/locate.ts';
import { type OpenRecord, openRecord } from '../../src/trail/open.ts';
import { Session, type SessionOperations } from '../../src/trail/session.ts';
import { value } from '../support/record.ts';
import { untilClean } from './clean.ts';

export interface Home {
  readonly root: string;
  /** Variables that make a process use this record's keys and state. */
  readonly env: Readonly<Record<string, string>>;
  open(options?: OpenOptions): Promise<Opened>;
  /** Runs git in the record as a person does, without settings of this machine. Answers what it prints. */
  git(...args: readonly string[]): Promise<string>;
  /** Waits until git's own index has followed; throws when it does not. */
  untilClean(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface OpenOptions {
  /** Another clone of the record. @default the record */
  readonly root?: string;
  /** Another machine of this name, with keys and memory of its own. @default the record's */
  readonly machine?: string;
  /** More variables, e.g. another PATH. @default none */
  readonly env?: Readonly<Record<string, string>>;
  readonly onStep?: (step: Step) => void | Promise<void>;
}

export interface Opened {
  readonly record: OpenRecord;
  readonly warnings: readonly string[];
  /** Operations of one caller; `operator` asks for operator rights. */
  as(agentId: string, options?: { readonly operator?: boolean }): SessionOperations;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const PERSON = {
  GIT_CONFIG_GLOBAL: devNull,
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'Pat',
  GIT_AUTHOR_EMAIL: 'pat@example.org',
  GIT_COMMITTER_NAME: 'Pat',
  GIT_COMMITTER_EMAIL: 'pat@example.org',
};

function machineAt(home: string): Record<'HOME' | 'XDG_CONFIG_HOME' | 'XDG_STATE_HOME', string> {
  return { HOME: home, XDG_CONFIG_HOME: join(home, 'config'), XDG_STATE_HOME: join(home, 'state') };
}

export interface HomeOptions {
  /** Makes it a Jujutsu repository, with this PATH to find `jj` on. @default plain git */
  readonly path?: string;
}

export async function makeHome({ path }: HomeOptions = {}): Promise<Home> {
  const home = mkdtempSync(join(tmpdir(), 'waymark-'));
  const root = join(home, 'data');
  const env = { ...machineAt(home), ...(path === undefined ? {} : { PATH: path }) };
  const common = { environment: value(readEnvironment(env)), env, producer: 'waymark/test' };
  value(await init(root, { ...common, warn: () => undefined }));
  const opens: Opened[] = [];

  async function open({ root: at = root, machine, env: more = {}, ...options }: OpenOptions = {}): Promise<Opened> {
    const located = readRecord(at);
    if (located === null) throw new Error('No record was made');
    const warnings: string[] = [];
    const warn = (message: string, cause: unknown) => void warnings.push(`${message}: ${String(cause)}`);
    const environment =
      machine === undefined ? common.environment : value(readEnvironment(machineAt(join(home, machine))));
    const record = value(
      await openRecord(value(located), { ...common, env: { ...env, ...more }, environment, warn, ...options }),
    );
    const sessions: Session[] = [];
    let closed: Promise<void> | undefined;
    async function close(): Promise<void> {
      await Promise.all(sessions.map((session) => session.close()));
      await record.repository.close();
    }
    const opened: Opened = {
      record,
      warnings,
      as(agentId, { operator = false } = {}) {
        const session = new Session(record, { via: 'library', agentId, wantsOperator: operator, env: {} });
        sessions.push(session);
        return session.operations();
      },
      close() {
        closed ??= close();
        return closed;
      },
      [Symbol.asyncDispose]: () => opened.close(),
    };
    opens.push(opened);
    return opened;
  }

  async function git(...args: readonly string[]): Promise<string> {
    const { stdout } = await promisify(execFile)('git', args, {
      cwd: root,
      env: { ...process.env, ...PERSON },
      maxBuffer: 64 * 1024 * 1024,
    });
    return stdout;
  }

  return {
    root,
    env,
    open,
    git,
    async untilClean() {
      const said = await untilClean(() => git('status', '--porcelain'));
      if (said !== '') throw new Error(`git status does not become clean: ${said}`);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(opens.map((opened) => opened.close()));
      rmSync(home, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

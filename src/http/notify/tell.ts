/** The two ways a notice leaves: a program of this machine, or a webhook. */
import { spawn } from 'node:child_process';
import type { NotifySettings } from '../../config/index.ts';
import { boundedRequest } from '../../net/bounded-request.ts';
import type { Notice, Tell } from './queue-watch.ts';

const TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 64 * 1024;
/** What a program needs to run; everything else of the environment may be a secret. */
const KEPT_VARIABLES = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TZ', 'SystemRoot'] as const;

export interface TellOptions {
  /** The server's environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** @default 10 s */
  readonly timeoutMs?: number;
}

export function tellBy(settings: NotifySettings, { env, timeoutMs = TIMEOUT_MS }: TellOptions): Tell {
  return 'webhook' in settings
    ? (notice) => post(settings.webhook, { notice, timeoutMs })
    : (notice) => run(settings.command, { notice, timeoutMs, env: keptOf(env) });
}

async function post(
  url: string,
  { notice, timeoutMs }: { readonly notice: Notice; readonly timeoutMs: number },
): Promise<string | null> {
  const reply = await boundedRequest({
    url,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(notice),
    timeoutMs,
    maxBytes: MAX_ANSWER_BYTES,
  });
  if (!reply.ok) return `webhook_${reply.reason}`;
  return reply.status >= 200 && reply.status < 300 ? null : `webhook_status_${reply.status}`;
}

interface Run {
  readonly notice: Notice;
  readonly timeoutMs: number;
  readonly env: Readonly<Record<string, string>>;
}

/** Without a shell: nothing of a notice is ever read as a command. What the program says is thrown away. */
function run(command: readonly string[], { notice, timeoutMs, env }: Run): Promise<string | null> {
  const [program = '', ...args] = command;
  return new Promise((resolve) => {
    const child = spawn(program, args, { env, shell: false, stdio: ['pipe', 'ignore', 'ignore'] });
    const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
    const done = (fault: string | null) => {
      clearTimeout(timer);
      resolve(fault);
    };
    child.once('error', () => done('command_not_started'));
    child.once('close', (code, signal) => {
      if (signal !== null) done('command_timed_out');
      else done(code === 0 ? null : `command_exit_${code}`);
    });
    // A program need not read it.
    child.stdin.on('error', () => {});
    child.stdin.end(`${JSON.stringify(notice)}\n`);
  });
}

function keptOf(env: TellOptions['env']): Readonly<Record<string, string>> {
  return Object.fromEntries(
    KEPT_VARIABLES.flatMap((name) => {
      const value = env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

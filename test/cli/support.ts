/** The built `waymark` as real processes, with and without a terminal. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Command, CommanderError } from 'commander';
import { EXIT, type ExitCode } from '../../src/cli/exit-code.ts';
import type { Invocation } from '../../src/cli/invocation.ts';
import { createProgram } from '../../src/cli/program.ts';
import { IS_LONG } from '../support/long.ts';

/** Built by `npm run build`. */
export const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

export interface RunOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Another account to run as, where the tests run as root. */
  readonly uid?: number;
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves once stdout or stderr holds `text` `times` times; fails when the process ends before. */
  seen(text: string, times?: number): Promise<void>;
}

export type Answer = string | (() => Promise<string>);

/** Commands that ask nobody, whatever terminal there is, and leave nothing running. */
const ASKS_NOBODY: ReadonlySet<string> = new Set(
  'accept checkpoint doctor evidence find get import init key-list key-show lift mirror quarantine recall reindex scan scopes status tombstones-list trace verify'.split(
    ' ',
  ),
);

/**
 * Runs to the end without a terminal. In the short run a command that asks nobody is parsed and run in this process,
 * since starting one takes half a second; in the long run, as another account or with a PATH or options of node of its own it is one.
 */
export async function waymark(args: readonly string[], options: RunOptions): Promise<Ended> {
  const { env, uid } = options;
  if (
    !IS_LONG &&
    uid === undefined &&
    env['PATH'] === undefined &&
    env['NODE_OPTIONS'] === undefined &&
    asksNobody(args)
  ) {
    return parsed(args, { ...options, env: { PATH: process.env['PATH'] ?? '', ...env } });
  }
  return waymarkProcess(args, options);
}

function asksNobody([command = '', part = '']: readonly string[]): boolean {
  return ASKS_NOBODY.has(command) || ASKS_NOBODY.has(`${command}-${part}`);
}

/** As {@link waymark}, always a process of its own in a session of its own: where the process is the point. */
export async function waymarkProcess(args: readonly string[], options: RunOptions): Promise<Ended> {
  const { child, ended } = startWaymark(args, options);
  child.stdin?.end();
  return ended;
}

export function startWaymark(args: readonly string[], options: RunOptions): Running {
  return watch(spawn(process.execPath, [mainFile(), ...args], { ...spawnOptions(options), detached: true }));
}

/**
 * Runs on a pseudo terminal of its own (util-linux `script`). Each answer is typed, or worked out, once its prompt has
 * been shown; all output is in `stdout`, with the terminal's line ends made plain.
 */
export async function onTerminal(
  args: readonly string[],
  options: RunOptions & { readonly answers: readonly (readonly [prompt: string, answer: Answer])[] },
): Promise<Ended> {
  const command = [process.execPath, mainFile(), ...args].map((word) => `'${word}'`).join(' ');
  const running = watch(spawn('script', ['-qec', command, '/dev/null'], spawnOptions(options)));
  const shown = new Map<string, number>();
  for (const [prompt, answer] of options.answers) {
    const times = (shown.get(prompt) ?? 0) + 1;
    shown.set(prompt, times);
    await running.seen(prompt, times);
    running.child.stdin?.write(typeof answer === 'string' ? answer : await answer());
  }
  const { stdout, ...rest } = await running.ended;
  return { ...rest, stdout: stdout.replaceAll('\r\n', '\n') };
}

/** The first line of stdout as JSON. */
export function json(ended: Ended): Record<string, unknown> {
  return JSON.parse(ended.stdout.split('\n')[0] ?? '');
}

function mainFile(): string {
  if (!existsSync(MAIN)) throw new Error('The command is not built: run "npm run build"');
  return MAIN;
}

function spawnOptions({ cwd, env, uid }: RunOptions) {
  const PATH = process.env['PATH'] ?? '';
  return { cwd, env: { PATH, ...env }, stdio: 'pipe', ...(uid === undefined ? {} : { uid, gid: uid }) } as const;
}

function watch(child: ChildProcess): Running {
  const said = { stdout: '', stderr: '' };
  const watchers = new Set<() => void>();
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (chunk: string) => {
      said[name] += chunk;
      for (const look of watchers) look();
    });
  }
  // A process that ended does not read on.
  child.stdin?.on('error', () => undefined);
  const ended = new Promise<Ended>((resolve) => child.on('close', (code) => resolve({ code, ...said })));
  return {
    child,
    ended,
    seen: (text, times = 1) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if ((said.stdout + said.stderr).split(text).length <= times) return;
          watchers.delete(look);
          resolve();
        };
        watchers.add(look);
        look();
        void ended.then(() => reject(new Error(`Ended without "${text}":\n${said.stdout}\n${said.stderr}`)));
      }),
  };
}

/** Runs a command in this process, `--json`: quicker than {@link waymark}, where no process is the point. */
export async function inProcess(
  command: (invocation: Invocation) => Promise<ExitCode>,
  options: RunOptions,
): Promise<Ended> {
  const said = { stdout: '', stderr: '' };
  const code = await command(invocationOf(said, { ...options, json: true }));
  return { code, ...said };
}

/** Parses a command line and runs it in this process, as {@link inProcess}. */
export async function parsed(args: readonly string[], options: RunOptions): Promise<Ended> {
  const said = { stdout: '', stderr: '' };
  let code: number = EXIT.ok;
  const program = createProgram({
    version: '0',
    invocation: ({ json }) => invocationOf(said, { ...options, json }),
    onExit: (exit) => {
      code = exit;
    },
  });
  const capture = (command: Command): void => {
    command.configureOutput({
      writeOut: (text) => {
        said.stdout += text;
      },
      writeErr: (text) => {
        said.stderr += text;
      },
    });
    command.commands.forEach(capture);
  };
  capture(program);
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    code = error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  }
  return { code, ...said };
}

function invocationOf(
  said: { stdout: string; stderr: string },
  { cwd, env, json }: RunOptions & { readonly json: boolean },
): Invocation {
  return {
    env,
    cwd,
    version: '0',
    json,
    out: (text) => {
      said.stdout += text;
    },
    drained: async () => true,
    err: (text) => {
      said.stderr += text;
    },
    isWatched: false,
  };
}

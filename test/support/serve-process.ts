/** `waymark serve` as a process of its own, as built. Used by tests and the bench. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export interface ServeProcess {
  /** Address of the MCP endpoint. */
  readonly endpoint: string;
  readonly pid: number;
  kill(signal: NodeJS.Signals): void;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  /** Everything on its standard error so far. */
  logged(): string;
}

export interface ServeProcessOptions {
  readonly env: Readonly<Record<string, string>>;
  /** @default a free port of loopback */
  readonly args?: readonly string[];
  /** The built command. @default `dist/cli/main.js` of the checkout in the working directory */
  readonly main?: string;
}

/** Resolves when it listens; throws when it ends before. */
export async function startServe(options: ServeProcessOptions): Promise<ServeProcess> {
  const { env, args = ['--port', '0'], main = join(process.cwd(), 'dist/cli/main.js') } = options;
  const child = spawn(process.execPath, [main, 'serve', '--json', ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const stderr: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (text: string) => stderr.push(text));
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) =>
    child.once('close', (code, signal) => resolve({ code, signal })),
  );
  const said = new Promise<string>((resolve) => createInterface({ input: child.stdout }).once('line', resolve));
  const line = await Promise.race([said, ended.then(() => null)]);
  if (line === null || child.pid === undefined) throw new Error(`waymark serve ended: ${stderr.join('')}`);
  const { endpoint }: { endpoint: unknown } = JSON.parse(line);
  return {
    endpoint: String(endpoint),
    pid: child.pid,
    kill: (signal) => void child.kill(signal),
    ended,
    logged: () => stderr.join(''),
  };
}

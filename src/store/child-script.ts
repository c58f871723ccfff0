/** Runs one of our own scripts in a process of its own, which ends when this one does. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';

export interface ChildScript {
  readonly child: ChildProcess;
  /** `null` when it ended well; what it said when not, `undefined` when it was killed. */
  readonly done: Promise<null | { readonly cause: unknown } | undefined>;
}

const STDERR_LIMIT = 4_096;

/**
 * @param script Path of the built file, without `.js`.
 * @param argument Plain data, handed over as JSON: see `argumentOf`.
 * @param onProgress Told each line that it prints.
 */
export function runScript(
  script: string,
  { argument, onProgress }: { readonly argument: object; readonly onProgress: (line: string) => void },
): ChildScript {
  // The built file, also when this module runs from source: a process cannot run TypeScript.
  const file = createRequire(import.meta.url).resolve(`#waymark/${script}.js`);
  // Reading makes much short-lived garbage; a larger nursery, in MiB, halves the time spent on it.
  const args = ['--max-semi-space-size=16', file, JSON.stringify(argument)];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  // Its end tells the child that this process is gone.
  child.stdin.on('error', () => undefined);
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = `${rest}${text}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onProgress(line);
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(0, STDERR_LIMIT);
  });
  const done = new Promise<Awaited<ChildScript['done']>>((resolve) => {
    child.on('error', (cause) => resolve({ cause }));
    child.on('close', (code) => resolve(code === 0 ? null : child.signalCode === null ? { cause: stderr } : undefined));
  });
  return { child, done };
}

/** In the script: what {@link runScript} handed over, not parsed yet; ends the process when its parent does. */
export function argumentOf(process: NodeJS.Process): unknown {
  // Whoever waits is gone when the pipe ends; what is not committed is rolled back.
  process.stdin.on('end', () => process.exit(1)).resume();
  return JSON.parse(process.argv[2] ?? 'null');
}

/** In the script: ends the process when the work does. */
export function endWith(process: NodeJS.Process, work: Promise<void>): void {
  work.then(
    () => process.exit(0),
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
      process.exit(1);
    },
  );
}

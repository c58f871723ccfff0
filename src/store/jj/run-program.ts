/** Runs one program to its end, with bounded time and output. */
import { spawn } from 'node:child_process';

export interface RunProgramOptions {
  readonly cwd: string;
  /** The whole environment; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** @default 60_000 */
  readonly timeoutMs?: number;
  /** Told the process id once it runs. */
  readonly onStart?: (pid: number) => void;
}

export interface ProgramEnd {
  /** `null` when it could not be started, took too long or was ended by a signal. */
  readonly code: number | null;
  readonly stdout: string;
  /** Its last words, or why it has none. */
  readonly stderr: string;
}

const STDERR_LIMIT = 8 * 1024;
const STDOUT_LIMIT = 1024 * 1024;

/** Never throws: how it ended is the answer. */
export function runProgram(program: string, args: readonly string[], options: RunProgramOptions): Promise<ProgramEnd> {
  const { cwd, env, timeoutMs = 60_000, onStart } = options;
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true });
    let [stdout, stderr] = ['', ''];
    const timer = setTimeout(() => {
      stderr += `did not finish within ${timeoutMs} ms`;
      child.kill('SIGKILL');
      // What it started may hold them open for ever.
      child.stdout.destroy();
      child.stderr.destroy();
    }, timeoutMs);
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout = (stdout + text).slice(0, STDOUT_LIMIT);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-STDERR_LIMIT);
    });
    child.once('error', (error) => {
      clearTimeout(timer);
      resolve({ code: null, stdout, stderr: error.message });
    });
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      const words = stderr.trim() || (signal === null ? '' : `ended by ${signal}`);
      resolve({ code, stdout, stderr: words });
    });
    if (child.pid !== undefined) onStart?.(child.pid);
  });
}

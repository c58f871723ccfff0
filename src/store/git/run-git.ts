/** Runs one git command to its end, with bounded time and output. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setPriority } from 'node:os';
import { errnoOf } from '../../record/errno.ts';
import { gitEnvironment } from './environment.ts';

export interface RunGitOptions {
  readonly cwd: string;
  /** Written to standard input. @default nothing */
  readonly input?: Uint8Array | string;
  /** @default 30_000 */
  readonly timeoutMs?: number;
  /** Bytes of output allowed. @default 256 MiB */
  readonly maxBytes?: number;
  /** Exit codes that are answers. @default [0] */
  readonly exitCodes?: readonly number[];
  /** Variables beside the built environment. @default none */
  readonly environment?: Readonly<Record<string, string>>;
  /** Yields the processor to everything else. @default false */
  readonly background?: boolean;
  /** Ends git with SIGTERM, on which it removes its temporary files. */
  readonly signal?: AbortSignal;
}

export interface GitOutput {
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export type GitErrorCode = 'missing' | 'timeout' | 'too_large' | 'exit';

/** git could not be run or did not answer as wanted. */
export class GitError extends Error {
  override readonly name = 'GitError';
  readonly code: GitErrorCode;

  constructor(code: GitErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

const STDERR_LIMIT = 8 * 1024;

/** Runs `git ...args`. Throws `GitError`, also for an exit code that is not in `exitCodes`. */
export async function runGit(args: readonly string[], options: RunGitOptions): Promise<GitOutput> {
  const { timeoutMs = 30_000, maxBytes = 256 * 1024 * 1024, exitCodes = [0] } = options;
  options.signal?.throwIfAborted();
  const child = spawnGit(args, options);
  if (options.background && child.pid !== undefined) lowerPriority(child.pid);
  const output: Buffer[] = [];
  const stderr = collectTail(child);
  let bytes = 0;
  let broken: GitError | undefined;
  const stop = (error: GitError): void => {
    broken ??= error;
    endNow(child);
  };
  const timer = setTimeout(() => {
    stop(new GitError('timeout', `git ${verbOf(args)} did not finish within ${timeoutMs} ms`));
  }, timeoutMs);
  const abort = (): void => {
    child.kill('SIGTERM');
  };
  options.signal?.addEventListener('abort', abort, { once: true });
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxBytes) stop(new GitError('too_large', `git ${verbOf(args)} wrote more than ${maxBytes} bytes`));
    else output.push(chunk);
  });
  // A child that ended early closes its input; its exit code says more.
  child.stdin.on('error', () => {});
  child.stdin.end(options.input ?? '');
  try {
    const code = await new Promise<number>((resolve, reject) => {
      child.once('error', (error) => reject(startError(error)));
      child.once('close', (exit) => resolve(exit ?? -1));
    });
    options.signal?.throwIfAborted();
    if (broken !== undefined) throw broken;
    if (exitCodes.includes(code)) return { code, stdout: Buffer.concat(output), stderr: stderr() };
    throw new GitError('exit', `git ${verbOf(args)} ended with ${code}: ${stderr() || 'no message'}`);
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener('abort', abort);
  }
}

/** Starts git in the built environment. Listen for `error`: a missing git is reported there. */
export function spawnGit(
  args: readonly string[],
  options: Pick<RunGitOptions, 'cwd' | 'environment'>,
): ChildProcessWithoutNullStreams {
  const env = { ...gitEnvironment(process.env), ...options.environment };
  return spawn('git', args, { cwd: options.cwd, env, stdio: 'pipe', windowsHide: true });
}

/** Ends the child at once. What it started may hold its pipes open, so they are closed from this end. */
export function endNow(child: ChildProcessWithoutNullStreams): void {
  child.kill('SIGKILL');
  for (const stream of child.stdio) stream?.destroy();
}

/** Keeps the end of what the child writes to standard error; the result reads it. */
export function collectTail(child: ChildProcessWithoutNullStreams): () => string {
  let tail = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    tail = (tail + text).slice(-STDERR_LIMIT);
  });
  return () => tail.trim();
}

/** What a failed start means to a person. */
export function startError(cause: Error): GitError {
  if (errnoOf(cause) === 'ENOENT') {
    return new GitError('missing', 'Cannot run "git": it is not on PATH or the repository folder is gone', { cause });
  }
  return new GitError('missing', `Cannot run "git": ${cause.message}`, { cause });
}

// The verb alone: the arguments before it are settings and may hold paths.
function verbOf(args: readonly string[]): string {
  const verb = args.find((arg, at) => !arg.startsWith('-') && args[at - 1] !== '-c');
  return verb ?? '';
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, 10);
  } catch {}
}

/** Writes to the child as fast as it takes it, and ends. A closed pipe never drains: whoever reads finds what is missing. */
export async function writeAll(child: ChildProcessWithoutNullStreams, chunks: Iterable<string>): Promise<void> {
  const closed = new AbortController();
  child.once('close', () => closed.abort());
  for (const chunk of chunks) {
    if (closed.signal.aborted) return;
    // One listener at a time: thousands of waits would leave as many behind.
    if (!child.stdin.write(chunk)) await once(child.stdin, 'drain', { signal: closed.signal }).catch(() => undefined);
  }
  child.stdin.end();
}

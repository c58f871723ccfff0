/** One `git fast-import` process: commands in, answer lines out. Knows nothing of change sets. */
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { processId } from '../process-id.ts';
import type { ChildProcessId } from '../version-store.ts';
import { type GitLocation, gitArguments } from './environment.ts';
import { collectTail, endNow, GitError, spawnGit, startError } from './run-git.ts';

/** How long one answer may take; a hung git must not hold the writer lock for ever. */
const ANSWER_TIMEOUT_MS = 60_000;
const FINISH_TIMEOUT_MS = 10_000;

interface Waiter {
  readonly resolve: (line: string) => void;
  readonly reject: (error: Error) => void;
}

export class FastImport {
  /** Milliseconds of `performance.now()`. */
  readonly startedAt = performance.now();
  /** Resolves when the process has ended, however it did. */
  readonly ended: Promise<void>;
  /** Absent when git could not be started. */
  readonly id: ChildProcessId | undefined;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #stderr: () => string;
  readonly #lines: string[] = [];
  readonly #waiters: Waiter[] = [];
  #partial = '';
  #end: GitError | undefined;

  constructor(location: GitLocation) {
    const args = ['fast-import', '--done', '--quiet', '--date-format=raw'];
    this.#child = spawnGit([...gitArguments(location), ...args], { cwd: location.root });
    this.id = this.#child.pid === undefined ? undefined : processId(this.#child.pid);
    this.#stderr = collectTail(this.#child);
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => this.#receive(text));
    // The exit that follows says more than a broken pipe.
    this.#child.stdin.on('error', () => {});
    this.ended = new Promise((resolve) => {
      this.#child.once('error', (error) => {
        this.#fail(startError(error));
        resolve();
      });
      this.#child.once('close', (code, signal) => {
        this.#fail(
          new GitError('exit', `git fast-import ended with ${signal ?? code}: ${this.messages() || 'no message'}`),
        );
        resolve();
      });
    });
  }

  get isAlive(): boolean {
    return this.#end === undefined;
  }

  /** What git said on standard error so far. */
  messages(): string {
    return this.#stderr();
  }

  /** Hands bytes to the process; resolves when the pipe has taken them. Rejects when the process has ended. */
  async write(bytes: Uint8Array | string): Promise<void> {
    if (this.#end !== undefined) throw this.#end;
    const broken = await bounded<Error | null>((resolve) => {
      this.#child.stdin.write(bytes, (error) => resolve(error ?? null));
    });
    if (broken === null) return;
    // A process that closed its input is ending; what it says on the way out names the cause.
    await this.#awaitEnd();
    throw this.#end ?? broken;
  }

  /** The next line of output. Rejects when the process ends first or stays silent; then it must be killed. */
  async readLine(): Promise<string> {
    const line = this.#lines.shift();
    if (line !== undefined) return line;
    if (this.#end !== undefined) throw this.#end;
    return bounded((resolve, reject) => this.#waiters.push({ resolve, reject }));
  }

  /** Ends the process in order, after which its packs are ordinary ones. `last` is sent before `done`. */
  async finish(last: string): Promise<void> {
    if (this.isAlive) this.#child.stdin.end(`${last}done\n`);
    await this.#awaitEnd();
  }

  async #awaitEnd(): Promise<void> {
    const timer = setTimeout(() => endNow(this.#child), FINISH_TIMEOUT_MS);
    await this.ended;
    clearTimeout(timer);
  }

  /** Ends the process now. Once this resolves it can no longer act. */
  async kill(): Promise<void> {
    if (this.isAlive) endNow(this.#child);
    await this.ended;
  }

  #receive(text: string): void {
    const lines = (this.#partial + text).split('\n');
    this.#partial = lines.pop() ?? '';
    for (const line of lines) {
      const waiter = this.#waiters.shift();
      if (waiter === undefined) this.#lines.push(line);
      else waiter.resolve(line);
    }
  }

  #fail(error: GitError): void {
    this.#end ??= error;
    for (const waiter of this.#waiters.splice(0)) waiter.reject(this.#end);
  }
}

/** A promise that rejects when git takes too long, to read as well as to answer. */
async function bounded<T>(start: (resolve: (value: T) => void, reject: (error: Error) => void) => void): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<T>((resolve, reject) => {
      start(resolve, reject);
      const late = `git fast-import did not answer within ${ANSWER_TIMEOUT_MS} ms`;
      timer = setTimeout(() => reject(new GitError('timeout', late)), ANSWER_TIMEOUT_MS);
    });
  } finally {
    clearTimeout(timer);
  }
}

/** Reads objects through one lazily started `git cat-file --batch`, and many through one of their own. */
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import type { BlobId } from '../version-store.ts';
import { type BatchAnswer, BatchAnswers } from './batch-answers.ts';
import { type GitLocation, gitArguments } from './environment.ts';
import { collectTail, GitError, spawnGit, startError, writeAll } from './run-git.ts';

interface Waiter {
  readonly resolve: (answer: BatchAnswer | null) => void;
  readonly reject: (error: Error) => void;
}

interface Batch {
  readonly child: ChildProcessWithoutNullStreams;
  /** In the order of the requests. */
  readonly waiters: Waiter[];
  readonly ended: Promise<void>;
}

export class ObjectReader {
  readonly #location: GitLocation;
  #batch: Batch | undefined;

  constructor(location: GitLocation) {
    this.#location = location;
  }

  /** An object by its id or another name without line ends, e.g. `<commit>^{tree}`; `null` when there is none. */
  async read(name: string): Promise<BatchAnswer | null> {
    const wasRunning = this.#batch !== undefined;
    try {
      const answer = await this.#request(name);
      if (answer !== null || !wasRunning) return answer;
    } catch (error) {
      if (!wasRunning) throw error;
    }
    // The process died, or its view of the packs is older than the object: a new one sees what is there.
    await this.restart();
    return this.#request(name);
  }

  /** Lets go of the packs it holds open; the next read starts a new process. */
  async restart(): Promise<void> {
    const batch = this.#batch;
    this.#batch = undefined;
    batch?.child.stdin.end();
    await batch?.ended;
  }

  /** Bytes of many blobs, in order. Throws when one is missing. */
  async *readMany(blobs: readonly BlobId[]): AsyncGenerator<Uint8Array> {
    const child = spawnGit([...gitArguments(this.#location), 'cat-file', '--batch', '--buffer'], {
      cwd: this.#location.root,
    });
    const started = new Promise<never>((_, reject) => child.once('error', (error) => reject(startError(error))));
    started.catch(() => {});
    const stderr = collectTail(child);
    child.stdin.on('error', () => {});
    void writeAll(child, requests(blobs));
    const answers = new BatchAnswers();
    let count = 0;
    try {
      for await (const chunk of child.stdout) {
        for (const answer of answers.feed(chunk)) {
          if (answer === null) throw missing(blobs[count]);
          count += 1;
          yield answer.bytes;
        }
      }
      if (count === blobs.length) return;
      if (child.pid === undefined) await started;
      throw new GitError(
        'exit',
        `git cat-file ended after ${count} of ${blobs.length} objects: ${stderr() || 'no message'}`,
      );
    } finally {
      child.kill('SIGKILL');
    }
  }

  async #request(name: string): Promise<BatchAnswer | null> {
    // It would be two requests, and every later answer another one's.
    if (name.includes('\n')) throw new Error('Cannot read an object by a name with a line end');
    this.#batch ??= this.#start();
    const { child, waiters } = this.#batch;
    return new Promise((resolve, reject) => {
      waiters.push({ resolve, reject });
      child.stdin.write(`${name}\n`);
    });
  }

  #start(): Batch {
    const child = spawnGit([...gitArguments(this.#location), 'cat-file', '--batch'], { cwd: this.#location.root });
    const stderr = collectTail(child);
    const waiters: Waiter[] = [];
    const answers = new BatchAnswers();
    child.stdin.on('error', () => {});
    child.stdout.on('data', (chunk: Buffer) => {
      for (const answer of answers.feed(chunk)) waiters.shift()?.resolve(answer);
    });
    const ended = new Promise<void>((resolve) => {
      const end = (error: GitError): void => {
        if (this.#batch === batch) this.#batch = undefined;
        for (const waiter of waiters.splice(0)) waiter.reject(error);
        resolve();
      };
      child.once('error', (error) => end(startError(error)));
      child.once('close', () => end(new GitError('exit', `git cat-file ended: ${stderr() || 'no message'}`)));
    });
    const batch: Batch = { child, waiters, ended };
    return batch;
  }
}

/** The error for an object that should be there. */
export function missing(blob: BlobId | undefined): GitError {
  return new GitError('exit', `Object ${blob} is not in the repository: run \`git fsck\` and restore it from a clone`);
}

function* requests(blobs: readonly BlobId[]): Generator<string> {
  const LINES = 1024;
  for (let at = 0; at < blobs.length; at += LINES) yield `${blobs.slice(at, at + LINES).join('\n')}\n`;
}

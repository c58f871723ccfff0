/** Runs long catch-ups in a process of their own, one at a time, so that this one keeps answering. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import type { Trust } from './changed-file.ts';
import type { RememberOptions } from './remember-logs.ts';

export interface ReindexingOptions extends RememberOptions {
  readonly root: string;
  readonly branch: string;
  readonly trust: Trust;
}

export interface ReindexRun {
  /** Forget what is indexed and read everything. */
  readonly fromStart: boolean;
  readonly onProgress: (line: string) => void;
}

const STDERR_LIMIT = 4_096;

export class Reindexing {
  readonly #options: ReindexingOptions;
  #running: { readonly fromStart: boolean; readonly done: Promise<boolean> } | null = null;
  #child: ChildProcess | null = null;

  constructor(options: ReindexingOptions) {
    this.#options = options;
  }

  /** `true` when the index is in step; a run in progress serves later callers too, if it reads as much as they want. */
  async run(run: ReindexRun): Promise<boolean> {
    while (run.fromStart && this.#running?.fromStart === false) await this.#running.done;
    this.#running ??= {
      fromStart: run.fromStart,
      done: this.#start(run).finally(() => {
        this.#running = null;
        this.#child = null;
      }),
    };
    return this.#running.done;
  }

  close(): void {
    this.#child?.kill();
  }

  #start({ fromStart, onProgress }: ReindexRun): Promise<boolean> {
    const { root, branch, trust, seenFolder, warn } = this.#options;
    // The built file, also when this module runs from source: a process cannot run TypeScript.
    const script = createRequire(import.meta.url).resolve('#waymark/store/reindex-process.js');
    // Reading makes much short-lived garbage; a larger nursery, in MiB, halves the time spent on it.
    const args = ['--max-semi-space-size=16', script, JSON.stringify({ root, branch, trust, seenFolder, fromStart })];
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'pipe'] });
    this.#child = child;
    // Its end tells the child that this process is gone.
    child.stdin.on('error', () => undefined);
    child.stdout.setEncoding('utf8').on('data', (text: string) => onProgress(text.trimEnd()));
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(0, STDERR_LIMIT);
    });
    return new Promise((resolve) => {
      child.on('error', (error) => {
        warn('The index could not be brought in step', error);
        resolve(false);
      });
      child.on('close', (code) => {
        if (code !== 0 && child.signalCode === null) warn('The index could not be brought in step', stderr);
        resolve(code === 0);
      });
    });
  }
}

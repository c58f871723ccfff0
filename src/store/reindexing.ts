/** Runs long catch-ups in a process of their own, one at a time, so that this one keeps answering. */
import type { ChildProcess } from 'node:child_process';
import type { Trust } from './changed-file.ts';
import { runScript } from './child-script.ts';
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
    const argument = { root, branch, trust, seenFolder, fromStart };
    const { child, done } = runScript('store/reindex-process', { argument, onProgress });
    this.#child = child;
    return done.then((failure) => {
      if (failure != null) warn('The index could not be brought in step', failure.cause);
      return failure === null;
    });
  }
}

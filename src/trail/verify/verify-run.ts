/** Verifies the record in a process of its own, one at a time and not too often, and keeps what the last run found. */
import type { ChildProcess } from 'node:child_process';
import * as z from 'zod';
import { VERDICTS } from '../../ledger/index.ts';
import { parseJson } from '../../ledger/json-text.ts';
import { runScript } from '../../store/child-script.ts';
import type { OpenRecord } from '../open.ts';
import type { VerifyReport } from './report.ts';

const reportSchema = z.object({
  ok: z.boolean(),
  verdicts: z.array(z.enum(VERDICTS)),
  head: z.string().nullable(),
  checked: z.object({ events: z.number(), thoughts: z.number(), logs: z.number() }),
  findings: z.array(
    z.object({
      verdict: z.enum(VERDICTS).exactOptional(),
      code: z.string(),
      path: z.string().exactOptional(),
      line: z.number().exactOptional(),
      message: z.string(),
    }),
  ),
  notes: z.array(z.string()),
});
/** What the process says. */
const lineSchema = z.union([z.object({ progress: z.string() }), z.object({ report: reportSchema, total: z.number() })]);
export type RunLine = z.output<typeof lineSchema>;

export interface FinishedRun {
  /** Unix milliseconds, as are all times here. */
  readonly began: number;
  readonly ended: number;
  /** The first findings; `null` when the run itself failed. */
  readonly report: VerifyReport | null;
  /** Findings there were. */
  readonly total: number;
}

export interface RunState {
  readonly running?: { readonly began: number; readonly progress: string };
  readonly last?: FinishedRun;
  /** A run can be started from then on; absent: now. */
  readonly next?: number;
}

export type VerifiedRecord = Pick<OpenRecord, 'seenFolder' | 'now'> & {
  readonly repository: Pick<OpenRecord['repository'], 'root' | 'store' | 'trust'>;
};

/** A whole verification costs seconds and memory, whoever asks. */
const PAUSE_MS = 60_000;

/** The runs of one process over one record. */
export class VerifyRuns {
  readonly #record: VerifiedRecord;
  readonly #onFailure: () => void;
  #running: { readonly began: number; progress: string; readonly child: ChildProcess } | null = null;
  #last: FinishedRun | null = null;
  #done: Promise<void> = Promise.resolve();

  /** @param onFailure Told when a run itself failed; what ended it by `close` is no failure. */
  constructor(record: VerifiedRecord, onFailure: () => void) {
    this.#record = record;
    this.#onFailure = onFailure;
  }

  state(): RunState {
    const last = this.#last;
    const next = last === null ? 0 : last.began + PAUSE_MS;
    return {
      ...(this.#running === null ? {} : { running: { began: this.#running.began, progress: this.#running.progress } }),
      ...(last === null ? {} : { last }),
      ...(this.#running === null && next > this.#record.now() ? { next } : {}),
    };
  }

  /** Nothing happens while one runs, and within a minute after the last was begun. */
  start(): void {
    if (this.#running !== null || this.state().next !== undefined) return;
    const { repository, seenFolder, now } = this.#record;
    const { root, store, trust } = repository;
    const began = now();
    let found: Pick<FinishedRun, 'report' | 'total'> = { report: null, total: 0 };
    const take = (line: string) => {
      const said = lineSchema.safeParse(parseJson(line));
      if (!said.success) return;
      if ('report' in said.data) found = said.data;
      else if (this.#running !== null) this.#running.progress = said.data.progress;
    };
    const argument = { root, branch: store.branch, trust, seenFolder };
    const { child, done } = runScript('trail/verify/verify-process', { argument, onProgress: take });
    this.#running = { began, progress: '', child };
    this.#done = done.then((failure) => {
      const { report, total } = failure === null ? found : { report: null, total: 0 };
      this.#last = { began, ended: now(), report, total };
      this.#running = null;
      if (failure != null) this.#onFailure();
    });
  }

  /** Resolves when nothing runs. */
  settled(): Promise<void> {
    return this.#done;
  }

  close(): void {
    this.#running?.child.kill();
  }
}

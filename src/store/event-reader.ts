/**
 * Reads, orders and verifies events on a thread of its own: half the work of a rebuild, beside the half that writes the
 * index. The module is both sides: imported it starts the thread, in the thread it serves.
 */
import { createRequire } from 'node:module';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import * as z from 'zod';
import { openGitStore } from './git/index.ts';
import { type EventBatch, orderedEvents } from './ordered-events.ts';
import { isFile } from './read-batches.ts';
import type { CommitId, TreeEntry, VersionStore } from './version-store.ts';

export interface EventReaderOptions {
  readonly root: string;
  readonly branch: string;
  readonly commit: CommitId;
  /** Unix milliseconds. */
  readonly now: number;
  readonly covered: readonly string[];
}

const optionsSchema = z.object({
  root: z.string(),
  branch: z.string(),
  commit: z.string(),
  now: z.number(),
  covered: z.array(z.string()),
});

/** Batches under way at once, so that the thread runs ahead and memory stays bounded. */
const AHEAD = 4;

/** What the thread says: a batch, or that there are no more. */
type Message = { readonly batch: EventBatch } | { readonly done: true };

/** Whether a path of the ledger should be an event. */
export function isEventFile(path: string): boolean {
  return path.startsWith('ledger/') && path.endsWith('.jsonl');
}

async function eventFiles(store: VersionStore, commit: CommitId): Promise<readonly TreeEntry[]> {
  const entries = await store.list(commit, 'ledger');
  return entries.filter(({ path, mode }) => isFile(mode) && isEventFile(path));
}

/** As `orderedEvents`, on another thread. Throws what the thread throws. */
export async function* readEventsOnThread(options: EventReaderOptions): AsyncGenerator<EventBatch> {
  // The built file, also when this module runs from source: a thread cannot run TypeScript.
  const script = createRequire(import.meta.url).resolve('#waymark/store/event-reader.js');
  const worker = new Worker(script, { workerData: options });
  const queue: Message[] = [];
  let failure: { readonly error: unknown } | null = null;
  let wake = () => {};
  worker.on('message', (message: Message) => {
    queue.push(message);
    wake();
  });
  worker.on('error', (error) => {
    failure = { error };
    wake();
  });
  try {
    for (;;) {
      const message = queue.shift();
      if (message === undefined) {
        if (failure !== null) throw (failure as { error: unknown }).error;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        continue;
      }
      if ('done' in message) return;
      yield message.batch;
      worker.postMessage('taken');
    }
  } finally {
    await worker.terminate();
  }
}

async function serve(options: EventReaderOptions, post: (message: Message) => void): Promise<void> {
  const { root, branch, commit, now, covered } = options;
  const store = await openGitStore({ root, branch });
  if (!store.ok) throw new Error(store.message);
  let credit = AHEAD;
  let wake = () => {};
  parentPort?.on('message', () => {
    credit += 1;
    wake();
  });
  for await (const batch of orderedEvents(store.value, await eventFiles(store.value, commit), {
    now,
    covered: new Set(covered),
  })) {
    while (credit === 0) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    credit -= 1;
    post({ batch });
  }
  post({ done: true });
  await store.value.close();
}

if (!isMainThread && parentPort !== null && optionsSchema.safeParse(workerData).success) {
  const port = parentPort;
  await serve(optionsSchema.parse(workerData), (message) => port.postMessage(message));
  port.close();
}

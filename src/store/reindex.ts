/** Reads a whole commit, or a long difference, into the index: events in order first, then thoughts by path. */
import { parseEventPath } from '../ledger/index.ts';
import { isThoughtLike } from '../record/paths.ts';
import { isConflictTree } from './catch-up.ts';
import type { ChangedFile, Trust } from './changed-file.ts';
import type { Index } from './index/index.ts';
import { ingest, ingestThought, isSetting } from './ingest.ts';
import { putOrderProblem, type ReadEvent, readEvent, takeEvents, verifyEvents } from './ingest-events.ts';
import { type EventStream, type OrderedEvent, orderLogs } from './order-logs.ts';
import type { RepositoryIndex } from './repository-index.ts';
import type { BlobId, CommitId, TreeEntry, VersionStore } from './version-store.ts';

export interface ReindexOptions {
  readonly index: RepositoryIndex;
  readonly store: VersionStore;
  readonly trust: Trust;
  readonly now: () => number;
  /** Read everything even if the index could be continued. */
  readonly fromStart: boolean;
  /** Progress, a line each. */
  readonly report: (line: string) => void;
}

/** Another process may be reindexing already: wait for it, then see what is left. */
const LONGEST_WAIT_MS = 10 * 60_000;
const BATCH = 128;
/** A longer difference than this is no quicker to take in than everything. */
const LONG_DIFFERENCE = 20_000;

export async function reindex(options: ReindexOptions): Promise<void> {
  const { index, store } = options;
  const head = store.head();
  if (head === null) return;
  await index.transaction(LONGEST_WAIT_MS, async (writable) => {
    if (!options.fromStart && writable.indexedCommit() === head) return { commit: false, value: null };
    if (options.fromStart || !(await continueIndex(options, writable, head))) {
      await readAll(options, writable, head);
    }
    writable.setIndexedCommit(head);
    return { commit: true, value: null };
  });
}

/** Takes in the difference to the indexed commit. `false` when everything must be read. */
async function continueIndex(options: ReindexOptions, index: Index, head: CommitId): Promise<boolean> {
  const { store, trust, now } = options;
  const indexed = index.indexedCommit();
  if (indexed === null) return false;
  const changes = await store.diff(indexed, head).catch(() => null);
  if (changes === null || changes.length > LONG_DIFFERENCE) return false;
  const regular = changes.map(({ path, blob, mode }) => ({ path, blob: isFile(mode) ? blob : null }));
  const files: ChangedFile[] = [];
  for await (const batch of readBatches(store, regular)) files.push(...batch);
  const readPath = (_path: string, blob: BlobId) => store.readBlob(blob);
  return (await ingest(index, files, { trust, now: now(), readPath })) === 'done';
}

async function readAll(options: ReindexOptions, index: Index, head: CommitId): Promise<void> {
  const { store, report } = options;
  index.clear();
  const tree = await store.list(head, '');
  if (tree.some((entry) => isConflictTree(entry.path))) throw new Error('The branch is a conflicted commit');
  const files = tree.filter((entry) => isFile(entry.mode));
  const settings = files.filter((entry) => isSetting(entry.path));
  for await (const batch of readBatches(store, settings)) {
    for (const { path, bytes } of batch) index.putSetting(path, bytes);
  }
  const events = files.filter((entry) => entry.path.startsWith('ledger/') && entry.path.endsWith('.jsonl'));
  await readEvents(options, index, events);
  let done = 0;
  const thoughts = files.filter((entry) => isThoughtLike(entry.path));
  for await (const batch of readBatches(store, thoughts)) {
    for (const file of batch) ingestThought(index, file);
    done += batch.length;
    report(`Indexed ${done} of ${thoughts.length} thoughts`);
  }
  index.settleSupersession();
}

async function readEvents(options: ReindexOptions, index: Index, events: readonly TreeEntry[]): Promise<void> {
  const { trust, now, report } = options;
  let done = 0;
  let earlier: Promise<void> = Promise.resolve();
  for await (const batch of inBatches(orderLogs(streamsOf(options, index, events)), BATCH)) {
    // Verified on the thread pool while the batch before it is written.
    const verdicts = verifyEvents(
      batch.map(({ event }) => event),
      now(),
    );
    await earlier;
    earlier = take(batch, verdicts);
  }
  await earlier;

  async function take(
    batch: readonly OrderedEvent<ReadEvent>[],
    verdicts: ReturnType<typeof verifyEvents>,
  ): Promise<void> {
    const ordered = batch.map(({ event }) => event);
    takeEvents(index, ordered, { verdicts: await verdicts, owner: trust.owner });
    for (const { event, problem } of batch) if (problem !== null) putOrderProblem(index, event.path, problem);
    done += batch.length;
    report(`Read ${done} of ${events.length} events`);
  }
}

/** Child processes that read at once; with more logs each is read piece by piece. */
const MOST_READERS = 8;

async function* readInPieces(store: VersionStore, files: readonly TreeEntry[], size: number) {
  for (let from = 0; from < files.length; from += size) yield* readBatches(store, files.slice(from, from + size), size);
}

/** Events held in memory over all logs while they are put in order. */
const READ_AHEAD = 4_096;

/** One stream for each log; files that are no events, by path or content, are reported and left out. */
function streamsOf(
  options: ReindexOptions,
  index: Index,
  events: readonly TreeEntry[],
): readonly EventStream<ReadEvent>[] {
  const logs = new Map<string, TreeEntry[]>();
  for (const entry of events) {
    const log = parseEventPath(entry.path)?.log ?? '';
    const entries = logs.get(log);
    if (entries === undefined) logs.set(log, [entry]);
    else entries.push(entry);
  }
  const size = Math.max(16, Math.floor(READ_AHEAD / Math.max(1, logs.size)));
  return [...logs.values()].map((entries) => {
    const files =
      logs.size > MOST_READERS ? readInPieces(options.store, entries, size) : readBatches(options.store, entries, size);
    let ahead: ReadEvent[] = [];
    return async () => {
      while (ahead.length === 0) {
        const batch = await files.next();
        if (batch.done === true) return null;
        ahead = batch.value.flatMap((file) => readEvent(index, file)).reverse();
      }
      return ahead.pop() ?? null;
    };
  });
}

async function* inBatches<T>(items: AsyncIterable<T>, size: number): AsyncGenerator<readonly T[]> {
  let batch: T[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Reads files in batches, with one child process for all of them. */
async function* readBatches(
  store: VersionStore,
  files: readonly { readonly path: string; readonly blob: BlobId | null }[],
  size = BATCH,
): AsyncGenerator<readonly ChangedFile[]> {
  const contents = store.readBlobs(files.flatMap((file) => file.blob ?? []))[Symbol.asyncIterator]();
  for (let from = 0; from < files.length; from += size) {
    const batch: ChangedFile[] = [];
    for (const { path, blob } of files.slice(from, from + size)) {
      const next = blob === null ? null : await contents.next();
      batch.push({ path, blob, bytes: next === null || next.done === true ? null : next.value });
    }
    yield batch;
  }
}

function isFile(mode: string | null): boolean {
  return mode === '100644' || mode === '100755';
}

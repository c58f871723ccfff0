/** Reads all events of a commit in the repository's order, each with what it proves by itself. */
import { parseEventPath } from '../ledger/index.ts';
import {
  checkCoveredEvent,
  checkEvent,
  type EventCheck,
  type ReadEvent,
  readEventFile,
  UNCHECKED,
} from './event-file.ts';
import type { Problem } from './index/types.ts';
import { type EventStream, type OrderedEvent, orderLogs } from './order-logs.ts';
import { readBatches } from './read-batches.ts';
import type { TreeEntry, VersionStore } from './version-store.ts';

/** Plain data, so that another thread can make it. */
export interface CheckedEvent extends EventCheck, Pick<ReadEvent, 'path' | 'text' | 'hash' | 'leaf'> {
  /** A link of the event that leads nowhere. */
  readonly problem: OrderedEvent<ReadEvent>['problem'];
}

export interface EventBatch {
  readonly events: readonly CheckedEvent[];
  /** Files that are no events, found on the way. */
  readonly unreadable: readonly Problem[];
}

export interface OrderedEventsOptions {
  /** Unix milliseconds. */
  readonly now: number;
  /** Logs whose signed checkpoint is to be compared with their tree afterwards; their signatures are not looked at. */
  readonly covered: ReadonlySet<string>;
}

/** Child processes that read at once; with more logs each is read piece by piece. */
const MOST_READERS = 8;
/** Events held in memory over all logs while they are put in order. */
const READ_AHEAD = 1_024;
const BATCH = 256;
/** Batches whose signatures are being checked while the next one is read. */
const CHECKED_AT_ONCE = 4;

export async function* orderedEvents(
  store: VersionStore,
  files: readonly TreeEntry[],
  options: OrderedEventsOptions,
): AsyncGenerator<EventBatch> {
  let unreadable: Problem[] = [];
  let events: OrderedEvent<ReadEvent>[] = [];
  const underWay: Promise<EventBatch>[] = [];
  const { streams, close } = streamsOf(store, files, (problem) => unreadable.push(problem));
  const begin = () => {
    const batch = checkedBatch(events, { ...options, unreadable });
    // Whoever waits for it is told; nobody may.
    batch.catch(() => undefined);
    underWay.push(batch);
    events = [];
    unreadable = [];
  };
  try {
    for await (const event of orderLogs(streams)) {
      events.push(event);
      if (events.length < BATCH) continue;
      begin();
      const oldest = underWay.length < CHECKED_AT_ONCE ? undefined : underWay.shift();
      if (oldest !== undefined) yield await oldest;
    }
  } finally {
    await close();
  }
  if (events.length > 0 || unreadable.length > 0) begin();
  for (const batch of underWay) yield await batch;
}

async function checkedBatch(
  ordered: readonly OrderedEvent<ReadEvent>[],
  { now, covered, unreadable }: OrderedEventsOptions & Pick<EventBatch, 'unreadable'>,
): Promise<EventBatch> {
  const checks = await Promise.all(
    ordered.map(({ event }) => {
      const log = event.envelope.record.waymark?.log;
      return log !== undefined && covered.has(log) ? checkCoveredEvent(event, now) : checkEvent(event, now);
    }),
  );
  // In one buffer, which costs another thread no more than one of them.
  const leaves = new Uint8Array(ordered.length * HASH_BYTES);
  const events = ordered.map(({ event: { path, text, hash, leaf }, problem }, at) => {
    leaves.set(leaf, at * HASH_BYTES);
    const kept = leaves.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES);
    return { path, text, hash, leaf: kept, problem, ...(checks[at] ?? UNCHECKED) };
  });
  return { events, unreadable };
}

const HASH_BYTES = 32;

/** One stream for each log. Whoever stops in the middle closes them, and with them their child processes. */
function streamsOf(
  store: VersionStore,
  files: readonly TreeEntry[],
  report: (problem: Problem) => void,
): { readonly streams: readonly EventStream<ReadEvent>[]; readonly close: () => Promise<void> } {
  const logs = new Map<string, TreeEntry[]>();
  for (const entry of files) {
    const log = parseEventPath(entry.path)?.log ?? '';
    const entries = logs.get(log);
    if (entries === undefined) logs.set(log, [entry]);
    else entries.push(entry);
  }
  const size = Math.max(16, Math.floor(READ_AHEAD / Math.max(1, logs.size)));
  const readers = [...logs.values()].map((entries) =>
    logs.size > MOST_READERS ? readInPieces(store, entries, size) : readBatches(store, entries, size),
  );
  const streams = readers.map((batches) => {
    let ahead: ReadEvent[] = [];
    return async () => {
      while (ahead.length === 0) {
        const batch = await batches.next();
        if (batch.done === true) return null;
        ahead = batch.value
          .flatMap(({ path, bytes }) => {
            if (bytes === null) return [];
            const read = readEventFile(path, bytes);
            if (read.ok) return [read.event];
            report(read.problem);
            return [];
          })
          .reverse();
      }
      return ahead.pop() ?? null;
    };
  });
  const close = async () => void (await Promise.all(readers.map((batches) => batches.return(undefined))));
  return { streams, close };
}

async function* readInPieces(store: VersionStore, files: readonly TreeEntry[], size: number) {
  for (let from = 0; from < files.length; from += size) yield* readBatches(store, files.slice(from, from + size), size);
}

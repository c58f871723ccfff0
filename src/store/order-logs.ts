/**
 * One total order over several logs read as streams: an event comes after the one before it in its log and after the
 * event of another writer it saw; among the rest the earlier timestamp, then the smaller hash, comes first.
 *
 * The same order as `orderEvents` of the ledger gives to a set, without holding the set.
 */
import type { ReadEvent } from './ingest-events.ts';

/** Heads as the caller reads them; `null` at the end of a log. */
export type EventStream = () => Promise<ReadEvent | null>;

export interface OrderedEvent {
  readonly event: ReadEvent;
  /** A link that leads nowhere. */
  readonly problem: 'missing_prev' | 'missing_seen' | null;
}

interface Head {
  event: ReadEvent;
  readonly next: EventStream;
  last: string | null;
}

export async function* orderLogs(streams: readonly EventStream[]): AsyncGenerator<OrderedEvent> {
  const heads: Head[] = [];
  for (const next of streams) {
    const event = await next();
    if (event !== null) heads.push({ event, next, last: null });
  }
  const emitted = new Set<string>();
  while (heads.length > 0) {
    const ready = heads.filter(({ event }) => event.seen === null || emitted.has(event.seen));
    const head = first(ready.length > 0 ? ready : heads);
    const { event } = head;
    const problem = event.prev !== head.last ? 'missing_prev' : ready.length === 0 ? 'missing_seen' : null;
    emitted.add(event.hash);
    yield { event, problem };
    const next = await head.next();
    if (next === null) heads.splice(heads.indexOf(head), 1);
    else {
      head.last = event.hash;
      head.event = next;
    }
  }
}

function first(heads: readonly Head[]): Head {
  return heads.reduce((a, b) => (isBefore(b.event, a.event) ? b : a));
}

function isBefore(a: ReadEvent, b: ReadEvent): boolean {
  return a.timestamp === b.timestamp ? a.hash < b.hash : a.timestamp < b.timestamp;
}

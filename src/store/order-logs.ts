/**
 * One total order over several logs read as streams: an event comes after the one before it in its log and after the
 * event of another writer it saw; among the rest the earlier timestamp, then the smaller hash, comes first.
 *
 * The same order as `orderEvents` of the ledger gives to a whole set, without holding the set. Where a link leads nowhere,
 * the event behind it comes after all that need not wait for it.
 */
import type { LinkedEvent } from '../ledger/index.ts';

/** Heads as the caller reads them; `null` at the end of a log. */
export type EventStream<E extends LinkedEvent> = () => Promise<E | null>;

/** An event in its place. */
export interface OrderedEvent<E extends LinkedEvent> {
  readonly event: E;
  /** A link that leads nowhere. */
  readonly problem: 'missing_prev' | 'missing_seen' | null;
}

interface Head<E extends LinkedEvent> {
  event: E;
  readonly next: EventStream<E>;
  last: string | null;
}

/** Reads each log from its start, as far as the caller does. */
export async function* orderLogs<E extends LinkedEvent>(
  streams: readonly EventStream<E>[],
): AsyncGenerator<OrderedEvent<E>> {
  const heads: Head<E>[] = [];
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

function first<E extends LinkedEvent>(heads: readonly Head<E>[]): Head<E> {
  return heads.reduce((a, b) => (isBefore(b.event, a.event) ? b : a));
}

function isBefore(a: LinkedEvent, b: LinkedEvent): boolean {
  return a.timestamp === b.timestamp ? a.hash < b.hash : a.timestamp < b.timestamp;
}

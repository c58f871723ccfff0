/** One total order over the events of several writers. */
import type { Hash } from './types.ts';

/** What ordering needs of an event; its record's hash, timestamp and position. */
export interface LinkedEvent {
  readonly hash: Hash;
  /** Unix milliseconds. */
  readonly timestamp: number;
  readonly prev: Hash | null;
  readonly seen: Hash | null;
}

export interface OrderProblem {
  /** The event the problem was found on. */
  readonly hash: Hash;
  /**
   * - `missing_prev`, `missing_seen`: the event it follows is not here.
   * - `cycle`: it is in or behind a ring of events, which hashes make impossible unless a record lies about its own.
   * - `duplicate`: the same record stands twice; the first is kept.
   */
  readonly code: 'missing_prev' | 'missing_seen' | 'cycle' | 'duplicate';
}

export interface EventOrder<E extends LinkedEvent> {
  readonly ordered: readonly E[];
  readonly problems: readonly OrderProblem[];
}

/**
 * Sorts events so that each comes after its `prev` and `seen`; among those that are free, the earliest timestamp, then
 * the smaller hash. The result depends on the set of events alone, not on the order they come in.
 *
 * Every distinct event is in the result, whatever links are broken: a missing predecessor counts as met, and events of
 * a cycle come last by timestamp and hash. O(n log n).
 */
export function orderEvents<E extends LinkedEvent>(events: Iterable<E>): EventOrder<E> {
  const problems: OrderProblem[] = [];
  const nodes = new Map<Hash, Node<E>>();
  for (const event of events) {
    if (nodes.has(event.hash)) problems.push({ hash: event.hash, code: 'duplicate' });
    else nodes.set(event.hash, { event, waitsFor: 0, followers: [] });
  }
  for (const node of nodes.values()) {
    const { hash, prev, seen } = node.event;
    for (const [link, code] of [
      [prev, 'missing_prev'],
      [seen, 'missing_seen'],
    ] as const) {
      if (link === null) continue;
      const before = nodes.get(link);
      if (before === undefined) problems.push({ hash, code });
      else {
        before.followers.push(node);
        node.waitsFor += 1;
      }
    }
  }
  const ordered: E[] = [];
  const free = new Heap<E>();
  for (const node of nodes.values()) if (node.waitsFor === 0) free.push(node);
  for (let node = free.pop(); node !== undefined; node = free.pop()) {
    ordered.push(node.event);
    for (const follower of node.followers) {
      follower.waitsFor -= 1;
      if (follower.waitsFor === 0) free.push(follower);
    }
  }
  const stuck = [...nodes.values()].filter((node) => node.waitsFor > 0).sort((a, b) => (isBefore(a, b) ? -1 : 1));
  for (const { event } of stuck) {
    ordered.push(event);
    problems.push({ hash: event.hash, code: 'cycle' });
  }
  return { ordered, problems };
}

interface Node<E extends LinkedEvent> {
  readonly event: E;
  waitsFor: number;
  readonly followers: Node<E>[];
}

function isBefore<E extends LinkedEvent>(a: Node<E>, b: Node<E>): boolean {
  if (a.event.timestamp !== b.event.timestamp) return a.event.timestamp < b.event.timestamp;
  return a.event.hash < b.event.hash;
}

/** A binary heap, smallest first. */
class Heap<E extends LinkedEvent> {
  readonly #items: Node<E>[] = [];

  push(node: Node<E>): void {
    let at = this.#items.push(node) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = this.#items[above];
      if (parent === undefined || !isBefore(node, parent)) break;
      this.#items[at] = parent;
      at = above;
    }
    this.#items[at] = node;
  }

  pop(): Node<E> | undefined {
    const top = this.#items[0];
    const last = this.#items.pop();
    if (top === undefined || last === undefined || this.#items.length === 0) return top;
    let at = 0;
    for (;;) {
      const child = this.#smallerChild(at);
      const node = this.#items[child];
      if (node === undefined || !isBefore(node, last)) break;
      this.#items[at] = node;
      at = child;
    }
    this.#items[at] = last;
    return top;
  }

  #smallerChild(at: number): number {
    const left = this.#items[2 * at + 1];
    const right = this.#items[2 * at + 2];
    return left !== undefined && right !== undefined && isBefore(right, left) ? 2 * at + 2 : 2 * at + 1;
  }
}

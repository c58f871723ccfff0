import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type LinkedEvent, orderEvents } from '../../src/ledger/index.ts';

function event(hash: string, links: Partial<LinkedEvent> = {}): LinkedEvent {
  return { hash, timestamp: 0, prev: null, seen: null, ...links };
}

function hashes(events: readonly LinkedEvent[]): string {
  return orderEvents(events)
    .ordered.map(({ hash }) => hash)
    .join('');
}

test('links decide before timestamps, timestamps before hashes', () => {
  expect(hashes([event('b', { timestamp: 1 }), event('a', { timestamp: 2 })])).toBe('ba');
  expect(hashes([event('b'), event('a')])).toBe('ab');
  expect(hashes([event('a', { prev: 'b' }), event('b', { timestamp: 9 })])).toBe('ba');
  expect(hashes([event('a', { seen: 'b' }), event('b', { timestamp: 9 })])).toBe('ba');
});

test('a missing link counts as met and is named', () => {
  const { ordered, problems } = orderEvents([event('a', { prev: 'x' }), event('b', { seen: 'y', prev: 'a' })]);
  expect(ordered.length).toBe(2);
  expect(problems).toEqual([
    { hash: 'a', code: 'missing_prev' },
    { hash: 'b', code: 'missing_seen' },
  ]);
  expect(orderEvents([event('a'), event('b', { prev: 'a', seen: 'a' })]).problems).toEqual([]);
});

test('a cycle comes last and is named, a duplicate is kept once', () => {
  const ring = [event('a', { prev: 'b' }), event('b', { prev: 'a' }), event('c', { prev: 'c' }), event('d')];
  expect(hashes(ring)).toBe('dabc');
  expect(orderEvents(ring).problems.map(({ hash, code }) => `${hash} ${code}`)).toEqual([
    'a cycle',
    'b cycle',
    'c cycle',
  ]);
  const twice = orderEvents([event('a'), event('a')]);
  expect(twice.ordered.length).toBe(1);
  expect(twice.problems).toEqual([{ hash: 'a', code: 'duplicate' }]);
});

test('the order depends on the set alone and keeps every link', () => {
  const specs = fc.array(fc.record({ timestamp: fc.nat(5), prev: fc.nat(30), seen: fc.nat(30) }), { maxLength: 30 });
  fc.assert(
    fc.property(specs, fc.infiniteStream(fc.nat(1000)), (list, noise) => {
      const link = (target: number, at: number) => (target < at ? `h${target}` : null);
      const events = list.map(({ timestamp, prev, seen }, at) =>
        event(`h${at}`, { timestamp, prev: link(prev, at), seen: link(seen, at) }),
      );
      const shuffled = events
        .map((item) => ({ item, key: Number(noise.next().value) }))
        .sort((a, b) => a.key - b.key)
        .map(({ item }) => item);
      const { ordered, problems } = orderEvents(events);
      expect(problems).toEqual([]);
      expect(orderEvents(shuffled).ordered).toEqual(ordered);
      const place = new Map(ordered.map(({ hash }, at) => [hash, at]));
      for (const { hash, prev, seen } of events) {
        for (const before of [prev, seen]) {
          if (before !== null) expect(place.get(before) ?? -1).toBeLessThan(place.get(hash) ?? -1);
        }
      }
    }),
  );
});

test('200,000 events of three writers are ordered', () => {
  const events = Array.from({ length: 200_000 }, (_, at) =>
    event(`h${at}`, { timestamp: at % 977, prev: at < 3 ? null : `h${at - 3}`, seen: at < 1 ? null : `h${at - 1}` }),
  );
  const { ordered, problems } = orderEvents(events.toReversed());
  expect(problems).toEqual([]);
  expect(ordered.every(({ hash }, at) => hash === `h${at}`)).toBe(true);
});

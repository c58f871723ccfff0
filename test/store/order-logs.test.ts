/** Logs merged as streams against the ledger's order of the set. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type LinkedEvent, orderEvents } from '../../src/ledger/index.ts';
import { type OrderedEvent, orderLogs } from '../../src/store/order-logs.ts';

type Log = readonly LinkedEvent[];

/** Logs of up to four writers, each event of which may have seen any earlier one; clocks disagree. */
const logs = fc
  .array(
    fc.record({
      writer: fc.nat(3),
      timestamp: fc.nat(5),
      seen: fc.option(fc.nat(), { nil: null }),
      hash: fc.integer({ min: 0, max: 0xffffff }),
    }),
    { maxLength: 24 },
  )
  .map((steps) => {
    const all: LinkedEvent[] = [];
    const byWriter: LinkedEvent[][] = [[], [], [], []];
    for (const [at, { writer, timestamp, seen, hash }] of steps.entries()) {
      const own = byWriter[writer] ?? [];
      const event = {
        hash: `sha256:${hash.toString(16).padStart(32, '0')}${at.toString(16).padStart(32, '0')}`,
        timestamp,
        prev: own.at(-1)?.hash ?? null,
        seen: seen === null || all.length === 0 ? null : (all[seen % all.length]?.hash ?? null),
      };
      own.push(event);
      all.push(event);
    }
    return byWriter;
  });

function streamOf(log: Log) {
  const left = [...log];
  return async () => left.shift() ?? null;
}

async function merged(all: readonly Log[]): Promise<readonly OrderedEvent<LinkedEvent>[]> {
  const ordered: OrderedEvent<LinkedEvent>[] = [];
  for await (const one of orderLogs(all.map(streamOf))) ordered.push(one);
  return ordered;
}

test('orderLogs gives whole logs the order of orderEvents and finds no fault', async () => {
  await fc.assert(
    fc.asyncProperty(logs, async (all) => {
      const found = await merged(all);
      expect(found.map(({ event }) => event.hash)).toEqual(orderEvents(all.flat()).ordered.map(({ hash }) => hash));
      expect(found.filter(({ problem }) => problem !== null)).toEqual([]);
    }),
    { numRuns: 300 },
  );
});

test('orderLogs keeps every event of a log with a gap and names the event after it', async () => {
  const event = (hash: string, prev: string | null, seen: string | null = null) => ({ hash, timestamp: 1, prev, seen });
  const whole = [event('a0', null), event('a1', 'a0'), event('a2', 'a1')];
  const other = [event('b0', null, 'a1'), event('b1', 'b0')];
  const problems = async (all: readonly Log[]) =>
    (await merged(all)).map(({ event: { hash }, problem }) => `${hash} ${problem}`);
  expect(await problems([whole, other])).toEqual(['a0 null', 'a1 null', 'a2 null', 'b0 null', 'b1 null']);
  expect(await problems([whole.filter(({ hash }) => hash !== 'a1'), other])).toEqual([
    'a0 null',
    'a2 missing_prev',
    'b0 missing_seen',
    'b1 null',
  ]);
});

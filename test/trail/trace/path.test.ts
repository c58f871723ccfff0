import fc from 'fast-check';
import { expect, test } from 'vitest';
import { provenanceToken } from '../../../src/ledger/index.ts';
import { type LinkKind, linksOf } from '../../../src/ledger/links.ts';
import type { Hash } from '../../../src/ledger/types.ts';
import { shortestPath } from '../../../src/trail/trace/path.ts';
import type { TraceRecord } from '../../../src/trail/trace/source.ts';
import { hashAt, memorySource, recordAt } from './memory-source.ts';

const causes = { follow: ['informed_by'] } as const;

function between(
  records: readonly TraceRecord[],
  [from, to]: readonly [number, number],
  options: Parameters<typeof shortestPath>[2] = causes,
) {
  return shortestPath(memorySource(records), { from: hashAt(from), to: hashAt(to) }, options);
}

test('the shortest of several ways, up and down alike', () => {
  // 1 <- 2 <- 3 <- 4 and 1 <- 5; 4 and 5 both lead to 6.
  const records = [
    recordAt(1),
    recordAt(2, [1]),
    recordAt(3, [2]),
    recordAt(4, [3]),
    recordAt(5, [1]),
    recordAt(6, [4, 5]),
  ];
  expect(between(records, [4, 1]).path).toEqual([4, 3, 2, 1].map(hashAt));
  expect(between(records, [1, 4]).path).toEqual([1, 2, 3, 4].map(hashAt));
  expect(between(records, [2, 5]).path).toEqual([2, 1, 5].map(hashAt));
  expect(between(records, [4, 5]).path).toEqual([4, 6, 5].map(hashAt));
  expect(between(records, [3, 3]).path).toEqual([hashAt(3)]);
});

test('only by the links that are followed', () => {
  // Hashes made of small numbers begin alike, which a provenance token could not tell apart.
  const start = `sha256:${'d'.repeat(64)}`;
  const records = [
    { ...recordAt(1), hash: start },
    recordAt(2, [], { annotates: start }),
    recordAt(3, [], { revises: hashAt(2) }),
    recordAt(4, [], { chain_root: hashAt(3) }),
    recordAt(5, [], { context_id: '2'.repeat(32), provenance_token: provenanceToken(start) }),
  ];
  const way = (from: number, follow: readonly LinkKind[]) =>
    shortestPath(memorySource(records), { from: hashAt(from), to: start }, { follow }).path;
  expect(way(4, ['informed_by'])).toBe('none');
  expect(way(4, ['annotates', 'revises'])).toBe('none');
  expect(way(4, ['annotates', 'revises', 'chain'])).toEqual([...[4, 3, 2].map(hashAt), start]);
  expect(way(5, ['annotates', 'revises', 'chain'])).toBe('none');
  expect(way(5, ['provenance'])).toEqual([hashAt(5), start]);
});

test('what is missing or cannot be read is no way', () => {
  const records = [recordAt(1), recordAt(2, [1]), recordAt(3, [2])];
  const [first, , third] = records;
  if (first === undefined || third === undefined) throw new Error('Expected three records');
  const ends = { from: hashAt(3), to: hashAt(1) };
  expect(shortestPath(memorySource(records), ends, causes).path).toHaveLength(3);
  expect(shortestPath(memorySource([first, third]), ends, causes).path).toBe('none');
  expect(shortestPath(memorySource(records, { unreadable: new Set([hashAt(2)]) }), ends, causes).path).toBe('none');
});

test('a cycle ends, and a search that is too wide gives up and says how much it looked at', () => {
  const hub = Array.from({ length: 50 }, (_, at) => recordAt(at + 10, [1]));
  expect(between([recordAt(1, [2]), recordAt(2, [1]), recordAt(3)], [1, 3]).path).toBe('none');
  const wide = [recordAt(1), ...hub, recordAt(2, [70]), recordAt(70)];
  expect(between(wide, [1, 2], { ...causes, limit: 20 })).toEqual({ path: 'gave_up', searched: 21 });
  expect(between(wide, [1, 2], { ...causes, limit: 1_000 }).path).toBe('none');
});

test('as long as a plain search from one end finds it, on any graph', () => {
  const graphs = fc.array(fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 3 }), { minLength: 2, maxLength: 12 });
  fc.assert(
    fc.property(graphs, fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 12 }), (named, from, to) => {
      const records = named.map((causesOf, at) => recordAt(at + 1, causesOf));
      const found = between(records, [from, to]).path;
      const here = records.some(({ hash }) => hash === hashAt(from)) && records.some(({ hash }) => hash === hashAt(to));
      if (here)
        expect(typeof found === 'string' ? 0 : found.length).toBe(plainLength(records, [hashAt(from), hashAt(to)]));
    }),
  );
});

/** Records on a shortest way, both ends included; 0 for none. */
function plainLength(records: readonly TraceRecord[], [from, to]: readonly [Hash, Hash]): number {
  const links = records.flatMap(({ hash, record }) =>
    linksOf(record)
      .filter(({ kind }) => kind === 'informed_by')
      .map(({ target }) => [hash, target] as const),
  );
  const here = new Set(records.map(({ hash }) => hash));
  let edge = new Set([from]);
  const reached = new Set(edge);
  for (let length = 1; edge.size > 0; length += 1) {
    if (edge.has(to)) return length;
    edge = new Set(
      links
        .flatMap(([a, b]) => [...(edge.has(a) ? [b] : []), ...(edge.has(b) ? [a] : [])])
        .filter((hash) => here.has(hash) && !reached.has(hash)),
    );
    for (const hash of edge) reached.add(hash);
  }
  return 0;
}

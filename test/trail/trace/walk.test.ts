/** The walk of a trace: atrib's eight behaviours, its exact order, and what ours says beyond. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Hash } from '../../../src/ledger/types.ts';
import type { TraceSource } from '../../../src/trail/trace/source.ts';
import { Walk, type WalkOptions, type WalkPage, type WalkPosition } from '../../../src/trail/trace/walk.ts';
import { hashAt, memorySource, recordAt } from './memory-source.ts';

const BACKWARD = { direction: 'backward', follow: ['informed_by'], depth: 3 } as const;

function walk(source: TraceSource, start: number, options: Partial<WalkOptions> & { readonly maxNodes?: number } = {}) {
  const { maxNodes = 200, ...walking } = options;
  return new Walk({ start: hashAt(start), ...BACKWARD, ...walking }).page(source, { maxNodes });
}

function visited({ visits }: WalkPage): readonly number[] {
  return visits.map(({ hash }) => numberOf(hash));
}

function numberOf(hash: Hash): number {
  return Number.parseInt(hash.slice('sha256:'.length), 16);
}

function numbers(hashes: Iterable<Hash>): readonly number[] {
  return [...hashes].map(numberOf);
}

/** 1 <- 2 <- ... <- `length`: each informed by the one before. */
function chain(length: number): TraceSource {
  return memorySource(Array.from({ length }, (_, at) => recordAt(at + 1, at === 0 ? [] : [at])));
}

describe("atrib's scaffold", () => {
  test('empty mirror: nothing is visited and the start dangles', () => {
    const page = walk(memorySource([]), 1);
    expect(visited(page)).toEqual([]);
    expect(numbers(page.dangling.keys())).toEqual([1]);
    expect(page.depthReached).toBe(0);
  });

  test('single record: it alone, at depth 0, without parents', () => {
    const page = walk(memorySource([recordAt(1)]), 1, { depth: 1 });
    expect(page.visits).toMatchObject([{ hash: hashAt(1), depth: 0, parents: new Set(), next: [] }]);
    expect(page.dangling.size).toBe(0);
  });

  test('one hop: the cause at depth 1, with the start as parent', () => {
    const page = walk(chain(2), 2);
    expect(page.visits.map(({ depth, parents }) => [depth, numbers(parents)])).toEqual([
      [0, []],
      [1, [2]],
    ]);
  });

  test('chain: all of it, and the depth is no cut', () => {
    const page = walk(chain(3), 3, { depth: 5 });
    expect(visited(page)).toEqual([3, 2, 1]);
    expect([page.depthReached, page.truncatedByDepth]).toEqual([2, false]);
  });

  test('depth limit: the oldest is left out, which is said', () => {
    const page = walk(chain(3), 3, { depth: 1 });
    expect(visited(page)).toEqual([3, 2]);
    expect(page.truncatedByDepth).toBe(true);
  });

  test('diamond: the shared cause once, with both parents', () => {
    const page = walk(memorySource([recordAt(1), recordAt(2, [1]), recordAt(3, [1]), recordAt(4, [2, 3])]), 4);
    expect(visited(page)).toEqual([4, 2, 3, 1]);
    expect(numbers(page.visits.at(-1)?.parents ?? [])).toEqual([2, 3]);
  });

  test('dangling: a cause that is nowhere is named', () => {
    const page = walk(memorySource([recordAt(2, [1])]), 2);
    expect(visited(page)).toEqual([2]);
    expect([...page.dangling]).toEqual([[hashAt(1), 'missing']]);
  });

  test('node cap: no more than that, which is said', () => {
    const page = walk(chain(10), 10, { depth: 10, maxNodes: 4 });
    expect(visited(page)).toEqual([10, 9, 8, 7]);
    expect([page.truncatedByCap, page.hasMore]).toEqual([true, true]);
  });
});

describe('flags', () => {
  test('the depth cuts nothing off when what lies beyond is missing or was visited another way', () => {
    const missing = walk(memorySource([recordAt(3, [1])]), 3, { depth: 0 });
    expect([missing.truncatedByDepth, missing.dangling.size]).toEqual([false, 0]);
    expect(numbers(missing.visits[0]?.absent ?? [])).toEqual([1]);
    const circle = memorySource([recordAt(1, [2]), recordAt(2, [1])]);
    expect(walk(circle, 1, { depth: 1 }).truncatedByDepth).toBe(false);
    expect(walk(circle, 1, { depth: 0 }).truncatedByDepth).toBe(true);
  });

  test('the cap leaves nothing out when what is queued is missing or was visited, and what is missing is named', () => {
    const source = memorySource([recordAt(3, [1, 2]), recordAt(2, [3, 9])]);
    const page = walk(source, 3, { maxNodes: 2 });
    expect([page.truncatedByCap, page.hasMore]).toEqual([false, false]);
    expect(numbers(page.dangling.keys())).toEqual([1, 9]);
    const full = walk(source, 3, { maxNodes: 1 });
    expect([full.truncatedByCap, numbers(full.dangling.keys())]).toEqual([true, [1]]);
  });

  test('a dangling hop counts as depth that was reached', () => {
    expect(walk(memorySource([recordAt(2, [1])]), 2).depthReached).toBe(1);
  });
});

describe('directions and links', () => {
  test('forward leads to the records that name one, oldest first; both leads to causes before those', () => {
    const source = memorySource([recordAt(1), recordAt(5, [1]), recordAt(3, [1]), recordAt(7, [3])]);
    expect(visited(walk(source, 1, { direction: 'forward' }))).toEqual([1, 3, 5, 7]);
    expect(numbers(walk(source, 3, { direction: 'both' }).visits[0]?.next ?? [])).toEqual([1, 7]);
  });

  test('only the links that are asked for are followed', () => {
    const target = recordAt(0xabc);
    const token = Buffer.from(hashAt(0xabc).slice('sha256:'.length), 'hex').subarray(0, 16).toString('base64url');
    const source = memorySource([
      recordAt(1),
      recordAt(2),
      recordAt(3),
      target,
      recordAt(9, [1], { annotates: hashAt(2), chain_root: hashAt(3), provenance_token: token }),
    ]);
    const follow = (...kinds: WalkOptions['follow']) =>
      numbers(walk(source, 9, { follow: kinds }).visits[0]?.next ?? []);
    expect(follow('informed_by')).toEqual([1]);
    expect(follow('annotates', 'chain')).toEqual([2, 3]);
    expect(follow('provenance')).toEqual([1, 2]);
    expect(follow('informed_by', 'annotates', 'revises', 'chain', 'provenance')).toEqual([1, 2, 3]);
  });

  test('a context that was asked for turns others into dangling ones, and names an unreadable record as such', () => {
    const other = { context_id: '2'.repeat(32) };
    const source = memorySource([recordAt(1, [], other), recordAt(2, [1, 3])], { unreadable: new Set([hashAt(3)]) });
    const page = walk(source, 2, { contextId: '1'.repeat(32) });
    expect([...page.dangling]).toEqual([
      [hashAt(1), 'out_of_scope'],
      [hashAt(3), 'unreadable'],
    ]);
    expect(visited(walk(source, 2))).toEqual([2, 1]);
  });
});

describe('pages', () => {
  test('a hub of other contexts is named a thousand at a time, and anybody can go on from the position', () => {
    const other = { context_id: '2'.repeat(32) };
    const children = Array.from({ length: 2_500 }, (_, at) => recordAt(at + 2, [1], at === 2_499 ? {} : other));
    const source = memorySource([recordAt(1), ...children]);
    const options = { start: hashAt(1), ...BACKWARD, direction: 'forward', contextId: '1'.repeat(32) } as const;
    const once = new Walk(options);
    const positions: WalkPosition[] = [];
    const pages = [1, 2, 3].map(() => {
      positions.push(once.position);
      return once.page(source, { maxNodes: 10 });
    });
    expect(pages.map((page) => [page.visits.length, page.dangling.size, page.hasMore])).toEqual([
      [1, 1_000, true],
      [0, 1_000, true],
      [1, 499, false],
    ]);
    for (const [at, position] of positions.entries()) {
      const again = new Walk(options);
      expect(again.goTo(source, position)).toBe(true);
      expect(again.page(source, { maxNodes: 10 })).toEqual(pages[at]);
    }
    expect(new Walk(options).goTo(source, { count: 2, last: hashAt(3), dangling: 0 })).toBe(false);
  });

  test('causes that never were are named a thousand at a time, and anybody can go on from the position', () => {
    const madeUp = Array.from({ length: 2_500 }, (_, at) => at + 3);
    const source = memorySource([recordAt(1), recordAt(2, [...madeUp, 1])]);
    const options = { start: hashAt(2), ...BACKWARD };
    const once = new Walk(options);
    const named: Hash[] = [];
    const seen: number[] = [];
    for (const isLast of [false, false, true]) {
      const again = new Walk(options);
      expect(again.goTo(source, once.position)).toBe(true);
      const page = once.page(source, { maxNodes: 10 });
      expect(again.page(source, { maxNodes: 10 })).toEqual(page);
      expect(page).toMatchObject({ hasMore: !isLast, truncatedByCap: !isLast });
      named.push(...page.dangling.keys());
      seen.push(...visited(page));
    }
    expect([numbers(named), seen]).toEqual([madeUp, [2, 1]]);
  });

  test('a page reads a bounded number of records for their context alone', () => {
    const children = Array.from({ length: 5_000 }, (_, at) => recordAt(at + 2, [1], { context_id: '2'.repeat(32) }));
    const source = memorySource([recordAt(1), ...children]);
    let reads = 0;
    const counted: TraceSource = {
      ...source,
      read(hash) {
        reads += 1;
        return source.read(hash);
      },
    };
    const hub = { start: hashAt(1), ...BACKWARD, direction: 'forward', contextId: '1'.repeat(32) } as const;
    for (const depth of [0, 1]) {
      reads = 0;
      const page = new Walk({ ...hub, depth }).page(counted, { maxNodes: 10 });
      expect([page.visits.length, reads > 500, reads < 3_100]).toEqual([1, true, true]);
    }
    // As many as it may look at are looked at: the flag is exact.
    const few = memorySource([recordAt(1), ...children.slice(0, 1_500)]);
    expect(new Walk({ ...hub, depth: 0 }).page(few, { maxNodes: 10 }).truncatedByDepth).toBe(false);
  });

  test('room that ran out ends a page as the cap does', () => {
    const page = new Walk({ start: hashAt(5), ...BACKWARD, depth: 10 }).page(chain(5), {
      maxNodes: 200,
      hasRoom: (visits) => visits.length < 2,
    });
    expect([visited(page), page.truncatedByCap, page.hasMore]).toEqual([[5, 4], true, true]);
  });
});

/** atrib.md 3.2 read aloud, one flat pass without pages: what the walk must equal. */
function reference(source: TraceSource, options: WalkOptions & { readonly maxNodes: number }) {
  const queue: { readonly hash: Hash; readonly depth: number; readonly parent: Hash | null }[] = [
    { hash: options.start, depth: 0, parent: null },
  ];
  const order: { readonly hash: Hash; readonly depth: number; readonly parents: Hash[] }[] = [];
  const dangling: Hash[] = [];
  const neighbours = (hash: Hash): readonly Hash[] => {
    const found = source.read(hash);
    if (found === null || found === 'unreadable') return [];
    const causes = (found.record.informed_by ?? []).filter((cause, at, all) => all.indexOf(cause) === at);
    const children = source.children(hash, ['informed_by']);
    if (options.direction === 'backward') return causes;
    if (options.direction === 'forward') return children;
    return [...causes, ...children.filter((child) => !causes.includes(child))];
  };
  const isHere = (hash: Hash) => {
    const found = source.read(hash);
    if (found === null || found === 'unreadable') return false;
    return options.contextId === undefined || found.record.context_id === options.contextId;
  };
  let depthReached = 0;
  while (queue.length > 0 && order.length < options.maxNodes) {
    const step = queue.shift();
    if (step === undefined) break;
    depthReached = Math.max(depthReached, step.depth);
    if (!isHere(step.hash)) {
      if (!dangling.includes(step.hash)) dangling.push(step.hash);
      continue;
    }
    let visit = order.find(({ hash }) => hash === step.hash);
    if (visit === undefined) {
      visit = { hash: step.hash, depth: step.depth, parents: [] };
      order.push(visit);
      if (step.depth < options.depth) {
        for (const hash of neighbours(step.hash)) queue.push({ hash, depth: step.depth + 1, parent: step.hash });
      }
    }
    if (step.parent !== null && !visit.parents.includes(step.parent)) visit.parents.push(step.parent);
  }
  const isLeftOut = (hash: Hash) => isHere(hash) && !order.some((visit) => visit.hash === hash);
  for (const { hash } of queue) if (!isHere(hash) && !dangling.includes(hash)) dangling.push(hash);
  const queued = new Set(queue.map(({ hash }) => hash));
  return {
    order: order.map((visit) => ({ ...visit, next: neighbours(visit.hash) })),
    dangling,
    depthReached,
    truncatedByCap: queue.some(({ hash }) => isLeftOut(hash)),
    truncatedByDepth: order
      .filter(({ depth }) => depth === options.depth)
      .some(({ hash }) => neighbours(hash).some((next) => isLeftOut(next) && !queued.has(next))),
  };
}

const graphs = fc.record({
  /** Of record `at + 1`: numbers of its causes, among them some that are nowhere. */
  causes: fc.array(fc.array(fc.integer({ min: 1, max: 14 }), { maxLength: 5 }), { minLength: 1, maxLength: 12 }),
  elsewhere: fc.uniqueArray(fc.integer({ min: 1, max: 12 }), { maxLength: 3 }),
  depth: fc.integer({ min: 0, max: 5 }),
  maxNodes: fc.integer({ min: 1, max: 8 }),
  direction: fc.constantFrom('backward', 'forward', 'both'),
  isScoped: fc.boolean(),
});

function graphOf({ causes, elsewhere }: { causes: readonly (readonly number[])[]; elsewhere: readonly number[] }) {
  return causes.map((of, at) =>
    recordAt(at + 1, of, elsewhere.includes(at + 1) ? { context_id: '2'.repeat(32), timestamp: 1 } : { timestamp: 2 }),
  );
}

describe('any graph, with cycles and holes', () => {
  test('is walked as atrib walks, with exact flags', () => {
    fc.assert(
      fc.property(graphs, (graph) => {
        const source = memorySource(graphOf(graph));
        const { depth, direction, maxNodes, isScoped } = graph;
        const contextId = isScoped && !graph.elsewhere.includes(1) ? '1'.repeat(32) : undefined;
        const options = { start: hashAt(1), follow: ['informed_by'], depth, direction, contextId } as const;
        const page = new Walk(options).page(source, { maxNodes });
        expect({
          order: page.visits.map(({ hash, depth: at, parents, next }) => ({
            hash,
            depth: at,
            parents: [...parents],
            next,
          })),
          dangling: [...page.dangling.keys()],
          depthReached: page.depthReached,
          truncatedByCap: page.truncatedByCap,
          truncatedByDepth: page.truncatedByDepth,
        }).toEqual(reference(source, { ...options, maxNodes }));
      }),
      { numRuns: 500 },
    );
  });

  test('is the same page by page, and from any position anew', () => {
    fc.assert(
      fc.property(graphs, (graph) => {
        const source = memorySource(graphOf(graph));
        const { depth, direction, maxNodes } = graph;
        const options = { start: hashAt(1), follow: ['informed_by'], depth, direction } as const;
        const whole = new Walk(options).page(source, { maxNodes: 500 });
        const paged = new Walk(options);
        const visits: Hash[] = [];
        const dangling = new Set<Hash>();
        for (let hasMore = true; hasMore; ) {
          const fresh = new Walk(options);
          expect(fresh.goTo(source, paged.position)).toBe(true);
          const page = paged.page(source, { maxNodes });
          expect(fresh.page(source, { maxNodes })).toEqual(page);
          visits.push(...page.visits.map(({ hash }) => hash));
          for (const hash of page.dangling.keys()) dangling.add(hash);
          hasMore = page.hasMore;
          if (!hasMore) expect(page.truncatedByDepth).toBe(whole.truncatedByDepth);
        }
        expect(visits).toEqual(whole.visits.map(({ hash }) => hash));
        expect([...dangling].sort()).toEqual([...whole.dangling.keys()].sort());
      }),
      { numRuns: 300 },
    );
  });
});

import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { type GraphShape, layoutGraph, MAX_EDGES, MAX_NODES } from '../../../../src/http/web/parts/graph-layout.ts';
import { LayoutCache } from '../../../../src/http/web/parts/layout-cache.ts';

/** `count` nodes, each of which follows from up to `causes` of the `reach` before it. */
function made(count: number, { causes, reach }: { readonly causes: number; readonly reach: number }): GraphShape {
  const ids = Array.from({ length: count }, (_, at) => `n${at}`);
  let state = 7;
  const below = (limit: number) => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return Math.floor((state / 2 ** 32) * limit);
  };
  const edges = ids.flatMap((to, at) =>
    Array.from({ length: Math.min(at, causes) }, () => ({ from: ids[at - 1 - below(Math.min(at, reach))] ?? '', to })),
  );
  return { ids, edges };
}

function plain(shape: GraphShape) {
  const { nodes, ...rest } = layoutGraph(shape);
  return { ...rest, nodes: [...nodes] };
}

test('causes stand left of what follows from them, and no two boxes share a place', () => {
  for (const shape of [
    made(150, { causes: 1, reach: 1 }),
    made(150, { causes: 2, reach: 10 }),
    made(40, { causes: 3, reach: 40 }),
  ]) {
    const { direction, nodes, edges } = layoutGraph(shape);
    expect(direction).toBe('right');
    expect(nodes.size).toBe(shape.ids.length);
    expect(edges.length).toBeGreaterThan(0);
    for (const { from, to } of edges) expect(nodes.get(from)?.[0]).toBeLessThan(nodes.get(to)?.[0] ?? 0);
    expect(new Set([...nodes.values()].map((point) => point.join())).size).toBe(nodes.size);
  }
});

test('a graph with too many links for layers gets a row for each box', () => {
  const ids = Array.from({ length: MAX_NODES }, (_, at) => `n${at}`);
  const all = ids.flatMap((to, at) => ids.slice(0, at).map((from) => ({ from, to })));
  const { direction, nodes, edges } = layoutGraph({ ids, edges: all });
  expect(direction).toBe('down');
  expect(edges).toHaveLength(MAX_EDGES);
  for (const { from, to } of edges) expect(nodes.get(from)?.[1]).toBeLessThan(nodes.get(to)?.[1] ?? 0);
});

test('nodes beyond the limit, circles, loops, doubles and strangers are left out and the rest is drawn', () => {
  const ids = ['a', 'b', 'c', 'a'];
  const edges = ['ab', 'bc', 'ca', 'aa', 'ab', 'ax', 'xa'].map(([from = '', to = '']) => ({ from, to }));
  const layout = layoutGraph({ ids, edges });
  expect([...layout.nodes.keys()]).toEqual(['a', 'b', 'c']);
  expect(layout.edges.map(({ from, to }) => from + to)).toEqual(['ab', 'bc']);
  const many = Array.from({ length: MAX_NODES + 5 }, (_, at) => `n${at}`);
  expect(layoutGraph({ ids: many, edges: [] }).nodes.size).toBe(MAX_NODES);
  expect(layoutGraph({ ids: [], edges: [] })).toMatchObject({ width: 0, edges: [] });
});

test('the same graph has the same layout, and any names and links have one', () => {
  expect(plain(made(80, { causes: 3, reach: 30 }))).toEqual(plain(made(80, { causes: 3, reach: 30 })));
  const name = fc.constantFrom('a', 'b', 'c', 'd', '__proto__', 'constructor', '\n', '', '<b>');
  const shape = fc.record({ ids: fc.array(name), edges: fc.array(fc.record({ from: name, to: name })) });
  fc.assert(
    fc.property(shape, (any) => {
      const { nodes, edges, ...size } = plain(any);
      expect(nodes.map(([id]) => id)).toEqual([...new Set(any.ids)]);
      expect(JSON.stringify([nodes, edges, size])).not.toContain('null');
      expect(plain(any)).toEqual({ nodes, edges, ...size });
    }),
    { numRuns: 60 },
  );
});

test('a graph that was drawn before is not laid out again, another one is', () => {
  const layouts = new LayoutCache();
  const [shape, other] = [made(20, { causes: 2, reach: 5 }), made(21, { causes: 2, reach: 5 })];
  expect(layouts.layout(shape)).toBe(layouts.layout({ ...shape }));
  expect(layouts.layout(other)).not.toBe(layouts.layout(shape));
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Index, openIndex } from '../../../src/store/index/index.ts';
import { row, tempIndexFile, write } from './support.ts';

const SCOPES = ['a', 'a/b'];
const STATUSES = ['draft', 'proposed', 'approved', 'rejected', 'tombstoned'] as const;

/** What the tally must say, counted row by row. */
function countedAnew(index: Index, paths: ReadonlySet<string>) {
  const counts = new Map<string, number>();
  for (const path of paths) {
    const stored = index.thoughtByPath(path);
    if (stored === null) continue;
    const key = `${stored.scope} ${stored.thought.agent_id} ${stored.facts.superseded} ${stored.facts.status}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts.values()].reduce((sum, n) => sum + n, 0);
}

test('the tally and the references stay right through any puts, removals and supersessions', () => {
  const step = fc.record({
    n: fc.integer({ min: 1, max: 6 }),
    names: fc.integer({ min: 1, max: 6 }),
    scope: fc.constantFrom(...SCOPES),
    status: fc.constantFrom(...STATUSES),
    agent: fc.constantFrom('x', 'y'),
    removes: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
      const index = openIndex({ file: tempIndexFile() });
      const live = new Map<string, { n: number; names: number; agent: string }>();
      for (const { n, names, scope, status, agent, removes } of steps) {
        const target = row(names, '').thought.thought_id;
        const put = row(n, `text ${n}`, {
          scope,
          thought: {
            validation_status: status,
            agent_id: agent,
            superseded_by: target,
            relationships: [{ type: 'DEPENDS_ON', target_id: target }],
          },
        });
        write(index, () => (removes ? index.removeThought(put.path) : index.putThought(put)));
        if (removes) live.delete(put.path);
        else live.set(put.path, { n, names, agent });
      }
      const tallies = index.tallies();
      expect(tallies.every(({ count }) => count > 0)).toBe(true);
      expect(tallies.reduce((sum, { count }) => sum + count, 0)).toBe(countedAnew(index, new Set(live.keys())));
      for (const agent of ['x', 'y']) {
        const counted = tallies.filter((one) => one.agent_id === agent).reduce((sum, { count }) => sum + count, 0);
        expect(counted).toBe([...live.values()].filter((one) => one.agent === agent).length);
      }
      for (const n of [1, 2, 3, 4, 5, 6]) {
        const naming = [...index.referencesTo(row(n, '').thought.thought_id)];
        expect(naming.map(({ row: found }) => found.path).sort()).toEqual(
          [...live].flatMap(([path, one]) => (one.names === n ? [path] : [])).sort(),
        );
      }
      index.close();
    }),
    { numRuns: 40 },
  );
});

test('what changed last comes first, in the classes, scopes and statuses asked for', () => {
  const index = openIndex({ file: tempIndexFile() });
  const at = (day: number) => `2026-01-0${day}T00:00:00Z`;
  write(index, () => {
    index.putThought(row(1, 'old', { scope: 'a', thought: { created_at: at(1) } }));
    index.putThought(row(2, 'new', { scope: 'a/b', thought: { created_at: at(3) } }));
    index.putThought(
      row(3, 'draft', { scope: 'a', thought: { created_at: at(2), validation_status: 'draft', agent_id: 'x' } }),
    );
  });
  const bodies = (found: readonly { readonly thought: { readonly body: string } }[]) =>
    found.map(({ thought }) => thought.body);
  expect(bodies(index.lastChanged({ classes: [1, 2], scopes: ['a', 'a/b'], limit: 9 }))).toEqual([
    'new',
    'draft',
    'old',
  ]);
  expect(bodies(index.lastChanged({ classes: [1], scopes: ['a', 'a/b'], limit: 1 }))).toEqual(['new']);
  expect(bodies(index.lastChanged({ classes: [1, 2], scopes: ['a'], statuses: ['draft'], limit: 9 }))).toEqual([
    'draft',
  ]);
  expect(bodies(index.lastChangedBy('x', 9))).toEqual(['draft']);
});

/** atrib's own mirrors with what its `trace` answered over them (test/fixtures/atrib/README.md). */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import * as z from 'zod';

export const FIXTURES = ['linear', 'diamond'] as const;
export type Fixture = (typeof FIXTURES)[number];

export function recordsOf(fixture: Fixture): string {
  return fileURLToPath(new URL(`../../fixtures/atrib/${fixture}/records`, import.meta.url));
}

const visited = z.looseObject({ depth: z.number(), record_hash: z.string(), next_informed_by: z.array(z.string()) });
const answer = z.looseObject({
  visited: z.array(visited),
  dangling: z.array(z.string()),
  warnings: z.array(z.string()),
});
export type Answer = z.output<typeof answer>;

const cases = z.object({
  cases: z.array(
    z.object({ id: z.string(), tool: z.string(), arguments: z.record(z.string(), z.unknown()), expected: answer }),
  ),
});

export function casesOf(fixture: Fixture): z.output<typeof cases>['cases'] {
  const file = new URL(`../../fixtures/atrib/${fixture}/trace-current.json`, import.meta.url);
  return cases.parse(JSON.parse(readFileSync(file, 'utf8'))).cases.map((each) => {
    const differs = DIFFERENCES[`${fixture}/${each.id}`] ?? {};
    for (const [name, ours] of Object.entries(differs)) expect(each.expected[name], each.id).not.toEqual(ours);
    return { ...each, expected: { ...each.expected, ...differs } };
  });
}

/**
 * Where ours differs on purpose, by case. atrib says that the depth cut something off although the one record beyond it
 * was visited another way (atrib.md 3.2, 8: one of the faults that the fixtures' README points at).
 */
export const DIFFERENCES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'diamond/fwd-join-default': { truncated_by_depth: false },
};

/** What ours says beyond atrib. */
const OURS = ['verification', 'content_matches', 'next_total', 'parent_total', 'informed_by_total'] as const;
/** Words may differ; how many warnings there are, and of which hash, may not. */
const HASH = /sha256:[0-9a-f]{64}/g;

/** Everything that atrib answers, as it answers it. */
export function expectParity(actual: unknown, expected: Answer): void {
  const { dangling_details, cursor, ...ours } = z.looseObject({}).parse(actual);
  const shown = answer.parse(ours);
  expect(shown.visited.map((visit) => without(visit, OURS))).toEqual(expected.visited);
  expect({ ...shown, visited: [], warnings: hashesIn(shown) }).toEqual({
    ...expected,
    visited: [],
    warnings: hashesIn(expected),
  });
  expect(dangling_details).toHaveLength(expected.dangling.length);
  expect(cursor === undefined).toBe(expected['truncated_by_cap'] === false);
}

function hashesIn({ warnings }: Answer): readonly (readonly string[])[] {
  return warnings.map((warning) => warning.match(HASH) ?? []);
}

function without(visit: z.output<typeof visited>, names: readonly string[]): object {
  return Object.fromEntries(Object.entries(visit).filter(([name]) => !names.includes(name)));
}

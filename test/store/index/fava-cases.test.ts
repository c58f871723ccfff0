/** The 15 matcher and visibility cases of FAVA's retrieval baseline, over nine records (fava.md section 10). */
import { describe, expect, test } from 'vitest';
import { tokensOf } from '../../../src/record/matching.ts';
import { classesOf, isVisible, type View } from '../../../src/record/visibility.ts';
import { indexOf, row } from './support.ts';

const index = indexOf([
  row(1, 'Rollout of the gateway goes through canary deploy first'),
  row(2, 'Retry only idempotent charges', { metadata: { tags: ['payments', 'q4'] } }),
  row(3, 'The parser lives in src/codec/frontmatter.ts'),
  row(4, 'Migrations are reviewed by two engineers'),
  row(5, 'Transformer layers are frozen while tuning'),
  row(6, 'Canary draft of alice', { thought: { validation_status: 'draft' } }),
  row(7, 'Canary draft of bob', { thought: { validation_status: 'draft', agent_id: 'bob' } }),
  row(8, 'Canary rejected', { thought: { validation_status: 'rejected', agent_id: 'bob' } }),
  row(9, 'Canary in an older form', { thought: { superseded_by: row(1, '').thought.thought_id } }),
]);

function numbersOf(query: string, view: View): readonly number[] {
  const principal = { agent_id: 'alice', role: view === 'history' ? 'operator' : 'agent', via: 'test' } as const;
  const { hits } = index.recall({
    scopes: ['team'],
    classes: classesOf(view),
    tokens: tokensOf(query),
    filters: view === 'authoring' ? { agent_id: 'alice' } : {},
    order: 'newest',
    limit: 20,
  });
  expect(hits.every((hit) => isVisible(hit.facts, { principal, view }))).toBe(true);
  return hits.map((hit) => Number(hit.thought.thought_id.slice(3))).reverse();
}

describe("FAVA's retrieval baseline", () => {
  test.each<[string, string, View, readonly number[]]>([
    ['exact token', 'idempotent', 'governed', [2]],
    ['several tokens', 'canary gateway', 'governed', [1]],
    ['tag', 'payments', 'governed', [2]],
    ['short token', 'q4', 'governed', [2]],
    ['path with slashes', 'src/codec/frontmatter.ts', 'governed', [3]],
    ['path split', 'src codec frontmatter', 'governed', [3]],
    ['stem as substring', 'migrat', 'governed', [4]],
    ['synonym misses', 'release', 'governed', []],
    ['paraphrase misses', 'model architecture decisions', 'governed', []],
    ['token nobody wrote', 'zapfhahn', 'governed', []],
    ['governed hides drafts, rejected and superseded', 'canary', 'governed', [1]],
    ['authoring shows the own draft only', 'canary', 'authoring', [6]],
    ['authoring hides what is approved', 'gateway', 'authoring', []],
    ['history shows all', 'canary', 'history', [1, 6, 7, 8, 9]],
    ['no query lists all of the view', '', 'governed', [1, 2, 3, 4, 5]],
  ])('%s', (_, query, view, expected) => {
    expect(numbersOf(query, view)).toEqual(expected);
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hayOf, matches, tokensOf } from '../../../src/record/matching.ts';
import { boostedOf, lengthOf, score } from '../../../src/record/score.ts';
import { VISIBILITY_CLASSES, type VisibilityClass, visibilityClass } from '../../../src/record/visibility.ts';
import type { ThoughtRow } from '../../../src/store/index/index.ts';
import { indexOf, row } from './support.ts';

const CLASSES = Object.values(VISIBILITY_CLASSES);
const SCOPES = ['a', 'a/b', 'b'];

/** Few letters, so that random tokens do occur; the rest are the characters that break searches. */
const FRAGMENTS = [
  ...['a', 'b', 'ab', 'ba', 'A', 'B', 'the', 'e', '1', '_', ' ', '  ', '\n', '\t', '\u00a0', '\u3000', '\u2028'],
  ...[
    '-',
    '->',
    '"',
    "'",
    '*',
    '(',
    ')',
    ':',
    '^',
    '+',
    '{',
    '}',
    '\\',
    '/',
    '#',
    '%',
    '.',
    ',',
    '[',
    '\u001f',
    '\u007f',
  ],
  ...['AND', 'OR', 'NOT', 'NEAR(', 'x:', 'a*'],
  ...[
    'é',
    'e\u0301',
    'É',
    '\u0301',
    '\u0332',
    'ﬁ',
    'İ',
    'I',
    'ı',
    'i\u0307',
    'ß',
    'ẞ',
    'ss',
    'ſ',
    '\u212a',
    'k',
    'Σ',
    'σ',
    'ς',
    'ΟΔΟΣ',
  ],
  ...['版', '本', '版本', '設定', 'テスト', 'か\u3099', 'が', '학점', '학점'.normalize('NFD'), '\u1112', '\u1161'],
  ...[
    '😀',
    '😁',
    '\ud83d',
    '\ude00',
    '👩‍💻',
    '𝒳',
    '𐐀',
    '𐐨',
    '\ue021',
    '\ue000',
    '\u{f0021}',
    '\ufffd',
    '\ufffe',
    '\uffff',
    '\ufeff',
    '\u0000',
  ],
];

const text = fc.oneof(
  { weight: 5, arbitrary: fc.array(fc.constantFrom(...FRAGMENTS), { maxLength: 14 }).map((parts) => parts.join('')) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
);

const rows = fc
  .array(
    fc.record({
      body: text,
      tag: fc.option(text, { nil: undefined }),
      project: fc.option(text, { nil: undefined }),
      scope: fc.constantFrom(...SCOPES),
      status: fc.constantFrom('approved', 'draft', 'tombstoned' as const),
      held: fc.boolean(),
    }),
    { minLength: 6, maxLength: 30 },
  )
  .map((list) =>
    list.map(({ body, tag, project, scope, status, held }, n) =>
      row(n, body, {
        scope,
        held,
        thought: { validation_status: status },
        metadata: { tags: tag === undefined ? [] : [tag], ...(project === undefined ? {} : { project }) },
      }),
    ),
  );

/** Queries cut out of the texts, so that most of them match something, and free ones. */
const cuts = fc.array(fc.record({ at: fc.nat(), from: fc.nat(), length: fc.integer({ min: 1, max: 9 }), free: text }), {
  minLength: 12,
  maxLength: 12,
});

describe('recall', () => {
  test('answers what the naive predicate, filter and score over all rows answer', { timeout: 120_000 }, () => {
    let compared = 0;
    let matched = 0;
    fc.assert(
      fc.property(
        rows,
        cuts,
        fc.subarray(SCOPES, { minLength: 1 }),
        fc.subarray([...CLASSES], { minLength: 1 }),
        (all, queries, scopes, classes) => {
          const index = indexOf(all);
          const within = all.filter((one) => {
            const facts = {
              status: one.thought.validation_status,
              agent_id: one.thought.agent_id,
              held: one.held,
              superseded: false,
            };
            return scopes.includes(one.scope) && classes.includes(visibilityClass(facts));
          });
          for (const [n, { at, from, length, free }] of queries.entries()) {
            const source = all[at % all.length]?.thought.body ?? '';
            const query = n % 4 === 3 ? free : source.slice(from % (source.length + 1)).slice(0, length);
            const tokens = tokensOf(query);
            const expected = within
              .filter(({ thought }) => matches(hayOf(thought), tokens))
              .map(({ path, thought }) => {
                const scored = { hay: hayOf(thought), boosted: boostedOf(thought), length: lengthOf(thought) };
                return { path, score: score(scored, tokens), time: Date.parse(thought.created_at) };
              })
              .sort((a, b) => b.score - a.score || b.time - a.time);
            const page = index.recall({ scopes, classes, tokens, filters: {}, order: 'relevance', limit: 100 });
            expect(page.hits.map(({ path, score }) => ({ path, score }))).toEqual(
              expected.map(({ path, score }) => ({ path, score })),
            );
            expect(page.total).toEqual({ exact: expected.length });
            compared += within.length;
            matched += expected.length;
          }
          index.close();
        },
      ),
      { numRuns: 120 },
    );
    expect(compared).toBeGreaterThan(5_000);
    expect(matched).toBeGreaterThan(500);
  });

  test('stays right through any sequence of puts, removals, rollbacks and changes of status', {
    timeout: 120_000,
  }, () => {
    const operation = fc.record({
      number: fc.nat({ max: 5 }),
      scope: fc.constantFrom('a', 'b'),
      remove: fc.boolean(),
      status: fc.constantFrom('approved', 'approved', 'draft' as const),
      held: fc.constantFrom(true, true, false),
      successor: fc.option(fc.nat({ max: 5 }), { nil: undefined }),
      word: fc.constantFrom('needle', 'other'),
      after: fc.constantFrom('', '', 'settle', 'commit', 'undo' as const),
    });
    let retired = 0;
    fc.assert(
      fc.property(fc.array(operation, { minLength: 5, maxLength: 40 }), (operations) => {
        const index = indexOf([]);
        const model = new Map<string, ThoughtRow>();
        index.begin();
        for (const { number, scope, remove, status, held, successor, word, after } of operations) {
          const superseded_by = successor === undefined ? {} : { superseded_by: row(successor, '').thought.thought_id };
          const one = row(number, word, { scope, held, thought: { validation_status: status, ...superseded_by } });
          index.savepoint();
          if (remove) index.removeThought(one.path);
          else index.putThought(one);
          if (after === 'settle') index.settleSupersession();
          if (after === 'undo') index.rollbackTo();
          else index.release();
          if (after !== 'undo' && remove) model.delete(one.path);
          if (after !== 'undo' && !remove) model.set(one.path, one);
          if (after === 'commit') {
            index.commit();
            index.begin();
          }
        }
        index.commit();
        const records = [...model.values()].map((one) => ({ ...one, class: classIn(model, one) }));
        retired += records.filter((one) => one.class === VISIBILITY_CLASSES.retired).length;
        for (const visibility of CLASSES) {
          for (const scopes of [['a'], ['b'], ['a', 'b']]) {
            for (const tokens of [['needle'], []]) {
              const page = index.recall({
                scopes,
                classes: [visibility],
                tokens,
                filters: {},
                order: 'newest',
                limit: 99,
              });
              const expected = records.filter(
                (one) => one.class === visibility && scopes.includes(one.scope) && matches(hayOf(one.thought), tokens),
              );
              expect(page.hits.map((hit) => hit.path).sort()).toEqual(expected.map((one) => one.path).sort());
              expect(page.hits.every((hit) => visibilityClass(hit.facts) === visibility)).toBe(true);
            }
          }
        }
        index.close();
      }),
      { numRuns: 80 },
    );
    expect(retired).toBeGreaterThan(10);
  });
});

/** The rule of `superseded`, said over the whole model. */
function classIn(model: ReadonlyMap<string, ThoughtRow>, one: ThoughtRow): VisibilityClass {
  const successors = [...model.values()].filter(
    ({ held, thought }) =>
      held && thought.validation_status === 'approved' && thought.thought_id === one.thought.superseded_by,
  );
  const superseded = successors.length === 1;
  const { validation_status: status, agent_id } = one.thought;
  return visibilityClass({ status, agent_id, held: one.held, superseded });
}

import { expect, test } from 'vitest';
import { checkLimits, checkText, LIMITS } from '../../src/record/limits.ts';
import type { Json, Thought, ThoughtMetadata } from '../../src/record/thought.ts';
import { exampleThought } from './example-thought.ts';

const SMALL = 500;

function withMetadata(change: Partial<ThoughtMetadata>): Thought {
  return exampleThought({ metadata: { tags: [], extra: {}, ...change } });
}

function nested(levels: number): { readonly [key: string]: Json } {
  return levels === 1 ? { leaf: 1 } : { inner: levels % 2 === 0 ? nested(levels - 1) : [nested(levels - 2)] };
}

const relationships = (count: number) =>
  Array.from({ length: count }, () => ({ type: 'REFERENCES', target_id: 'x' }) as const);

test('checkLimits accepts a thought at each limit and refuses one just over it, with field, size and limit', () => {
  const cases: readonly (readonly [string, number, (size: number) => Thought])[] = [
    ['content', 960 * 1024, (size) => exampleThought({ body: 'a'.repeat(size) })],
    ['metadata.tags', 64, (size) => withMetadata({ tags: Array(size).fill('t') })],
    ['metadata.tags[0]', 128, (size) => withMetadata({ tags: ['é'.repeat(size)] })],
    ['relationships', 64, (size) => exampleThought({ relationships: relationships(size) })],
    ['parent_id', 128, (size) => exampleThought({ parent_id: 'p'.repeat(size) })],
    ['intent_ref', 128, (size) => exampleThought({ intent_ref: 'p'.repeat(size) })],
    ['supersedes_id', 128, (size) => exampleThought({ supersedes_id: 'p'.repeat(size) })],
    [
      'relationships[0].target_id',
      128,
      (size) => exampleThought({ relationships: [{ type: 'REFERENCES', target_id: 'p'.repeat(size) }] }),
    ],
    ['metadata.project', 8192, (size) => withMetadata({ project: 'p'.repeat(size) })],
    ['metadata.branch', 8192, (size) => withMetadata({ branch: 'p'.repeat(size) })],
    ['metadata.extra.note', 8192, (size) => withMetadata({ extra: { note: 'p'.repeat(size) } })],
    ['reason', 4096, (size) => withMetadata({ extra: { reason: 'p'.repeat(size) } })],
    ['frontmatter.x[0]', 8192, (size) => exampleThought({ unknown: { x: ['p'.repeat(size)] } })],
  ];
  for (const [field, limit, make] of cases) {
    expect(checkLimits(make(limit), SMALL), field).toBeNull();
    const refusal = checkLimits(make(limit + 1), SMALL);
    expect(refusal, field).toMatchObject({ ok: false, code: 'invalid', field });
    expect(refusal?.details?.['limit'], field).toBe(limit);
    expect(refusal?.message, field).toContain(String(limit));
    expect(refusal?.rule, 'malformed input is no denial').toBeUndefined();
  }
});

test('checkLimits counts the body in UTF-8 bytes', () => {
  expect(checkLimits(exampleThought({ body: '🚀'.repeat(240 * 1024) }), SMALL)).toBeNull();
  expect(checkLimits(exampleThought({ body: `${'🚀'.repeat(240 * 1024)}a` }), SMALL)).toMatchObject({
    details: { size: 983_041, limit: 983_040 },
  });
});

test('checkLimits bounds the nesting of extra without descending further', () => {
  expect(checkLimits(withMetadata({ extra: nested(16) }), SMALL)).toBeNull();
  expect(checkLimits(withMetadata({ extra: nested(17) }), SMALL)).toMatchObject({ details: { size: 17, limit: 16 } });
  let bottomless: Json = 1;
  for (let level = 0; level < 100_000; level++) bottomless = [bottomless];
  expect(checkLimits(withMetadata({ extra: { bottomless } }), SMALL)).toMatchObject({ code: 'invalid' });
});

test('checkLimits keeps 8 KiB of frontmatter free until a decision is written', () => {
  const open = exampleThought();
  expect(checkLimits(open, 24 * 1024)).toBeNull();
  expect(checkLimits(open, 24 * 1024 + 1)).toMatchObject({ field: 'metadata', details: { limit: 24 * 1024 } });
  for (const decided of [
    withMetadata({ extra: { trust_gate: { verdict: 'reject' } } }),
    withMetadata({ extra: { approval: { kind: 'human' } } }),
    exampleThought({ superseded_by: 'x' }),
  ]) {
    expect(checkLimits(decided, 32 * 1024)).toBeNull();
    expect(checkLimits(decided, 32 * 1024 + 1)).toMatchObject({ field: 'metadata', details: { limit: 32 * 1024 } });
  }
});

test('checkLimits refuses NUL, lone surrogates and numbers that are not finite, wherever they are', () => {
  expect(checkLimits(exampleThought({ body: 'a 🚀 \u0001 \uffff' }), SMALL)).toBeNull();
  for (const [field, thought] of [
    ['content', exampleThought({ body: 'a\0b' })],
    ['content', exampleThought({ body: 'a\ud800b' })],
    ['content', exampleThought({ body: '\udc00\ud800' })],
    ['agent_id', exampleThought({ agent_id: '\ud800' })],
    ['supersedes_scope', exampleThought({ supersedes_scope: '\0' })],
    ['parent_id', exampleThought({ parent_id: '\0' })],
    ['metadata.project', withMetadata({ project: '\0' })],
    ['metadata.tags[1]', withMetadata({ tags: ['fine', '\udfff'] })],
    ['metadata.extra.a[0].b', withMetadata({ extra: { a: [{ b: '\0' }] } })],
    ['metadata.extra.<key>', withMetadata({ extra: { '\ud800': 1 } })],
    ['metadata.extra.n', withMetadata({ extra: { n: Number.POSITIVE_INFINITY } })],
  ] as const) {
    expect(checkLimits(thought, SMALL), field).toMatchObject({ code: 'invalid', field });
  }
});

test('checkText applies the limit it is given', () => {
  expect(checkText('é'.repeat(2048), { field: 'reason', bytes: LIMITS.reasonBytes })).toBeNull();
  expect(checkText(`${'é'.repeat(2048)}a`, { field: 'reason', bytes: LIMITS.reasonBytes })).toMatchObject({
    field: 'reason',
    details: { size: 4097, limit: 4096 },
  });
});

test('a file of the largest body and frontmatter stays under the file limit', () => {
  const fences = '---\n---\n'.length;
  expect(LIMITS.bodyBytes + LIMITS.frontmatterBytes + fences).toBeLessThan(LIMITS.fileBytes);
});

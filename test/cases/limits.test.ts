/** Each limit gives an error that names field, size and limit, and what is at the limit is accepted (cases.md B17). */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LIMITS } from '../../src/record/limits.ts';
import { makeRecord, type TestRecord } from '../support/record.ts';
import { type Arguments, type Caller, connect } from './caller.ts';
import { eventsOf } from './evidence.ts';

const SCOPE = { trail_name: 'acme/api' };

let t: TestRecord;
let alice: Caller;
let draft: string;

beforeAll(async () => {
  t = await makeRecord();
  alice = await connect(t.session('alice'));
  draft = await alice.save({ ...SCOPE, content: 'a draft' });
});

afterAll(() => t[Symbol.asyncDispose]());

const many = (count: number, text: string) => Array.from({ length: count }, (_, at) => `${text}${at}`);
/** Nested so that the innermost map is at this level; `extra` is the first. */
const nested = (levels: number): object => (levels === 1 ? { leaf: 1 } : { inner: nested(levels - 1) });
const save = (args: Arguments) => ['save_thought', { ...SCOPE, content: 'x', ...args }] as const;
const meta = (metadata: object) => save({ metadata });
const replace = (args: Arguments) =>
  ['supersede', { ...SCOPE, thought_id: '', content: 'x', reason: 'r', ...args }] as const;
const search = (args: Arguments) => ['recall', { ...SCOPE, ...args }] as const;
const links = (count: number, id = 'a') => Array.from({ length: count }, () => ({ type: 'REFERENCES', target_id: id }));

type Call = readonly [tool: string, args: Arguments];
const CASES: readonly (readonly [name: string, field: string, at: Call, over: Call])[] = [
  [
    'body bytes',
    'content',
    save({ content: 'x'.repeat(LIMITS.bodyBytes) }),
    save({ content: 'x'.repeat(LIMITS.bodyBytes + 1) }),
  ],
  [
    'body bytes, not characters',
    'content',
    save({ content: 'é'.repeat(LIMITS.bodyBytes / 2) }),
    save({ content: `x${'é'.repeat(LIMITS.bodyBytes / 2)}` }),
  ],
  ['tags', 'metadata.tags', meta({ tags: many(LIMITS.tags, 't') }), meta({ tags: many(LIMITS.tags + 1, 't') })],
  [
    'tag characters',
    'metadata.tags[1]',
    meta({ tags: ['a', '😀'.repeat(LIMITS.tagCharacters)] }),
    meta({ tags: ['a', 'x'.repeat(LIMITS.tagCharacters + 1)] }),
  ],
  [
    'relationships',
    'relationships',
    save({ relationships: links(LIMITS.relationships) }),
    save({ relationships: links(LIMITS.relationships + 1) }),
  ],
  [
    'a relationship id',
    'relationships[0].target_id',
    save({ relationships: links(1, 'x'.repeat(128)) }),
    save({ relationships: links(1, 'x'.repeat(129)) }),
  ],
  ['parent_id', 'parent_id', save({ parent_id: 'x'.repeat(128) }), save({ parent_id: 'x'.repeat(129) })],
  ['intent_ref', 'intent_ref', save({ intent_ref: 'x'.repeat(128) }), save({ intent_ref: 'x'.repeat(129) })],
  [
    'project',
    'metadata.project',
    meta({ project: 'x'.repeat(LIMITS.stringBytes) }),
    meta({ project: 'x'.repeat(LIMITS.stringBytes + 1) }),
  ],
  [
    'branch',
    'metadata.branch',
    meta({ branch: 'x'.repeat(LIMITS.stringBytes) }),
    meta({ branch: 'x'.repeat(LIMITS.stringBytes + 1) }),
  ],
  [
    'a string in extra',
    'metadata.extra.a[0]',
    meta({ extra: { a: ['x'.repeat(LIMITS.stringBytes)] } }),
    meta({ extra: { a: ['x'.repeat(LIMITS.stringBytes + 1)] } }),
  ],
  [
    'depth of extra',
    `metadata.extra${'.inner'.repeat(LIMITS.extraDepth)}`,
    meta({ extra: nested(LIMITS.extraDepth) }),
    meta({ extra: nested(LIMITS.extraDepth + 1) }),
  ],
  [
    'all frontmatter, a decision kept free',
    'metadata',
    meta({ extra: { a: 'x'.repeat(8000), b: 'x'.repeat(8000), c: 'x'.repeat(7000) } }),
    meta({ extra: { a: 'x'.repeat(8000), b: 'x'.repeat(8000), c: 'x'.repeat(8190), d: 'x'.repeat(1000) } }),
  ],
  [
    'reason',
    'reason',
    replace({ reason: 'x'.repeat(LIMITS.reasonBytes) }),
    replace({ reason: 'x'.repeat(LIMITS.reasonBytes + 1) }),
  ],
  [
    'idempotency_key',
    'idempotency_key',
    save({ idempotency_key: 'x'.repeat(200) }),
    save({ idempotency_key: 'x'.repeat(201) }),
  ],
  ['an empty idempotency_key', 'idempotency_key', save({ idempotency_key: 'k' }), save({ idempotency_key: '' })],
  [
    'query bytes',
    'query',
    search({ query: 'x'.repeat(LIMITS.queryBytes) }),
    search({ query: 'x'.repeat(LIMITS.queryBytes + 1) }),
  ],
  [
    'query words',
    'query',
    search({ query: many(LIMITS.queryTokens, 'w').join(' ') }),
    search({ query: many(LIMITS.queryTokens + 1, 'w').join(' ') }),
  ],
  [
    'trail_names',
    'trail_names',
    search({ trail_names: many(LIMITS.trailNames, 'a/b') }),
    search({ trail_names: many(LIMITS.trailNames + 1, 'a/b') }),
  ],
  ['limit, above', 'limit', search({ limit: 100 }), search({ limit: 101 })],
  ['limit, below', 'limit', search({ limit: 1 }), search({ limit: 0 })],
  ['confidence, above', 'confidence', save({ confidence: 1 }), save({ confidence: 1.01 })],
  ['confidence, below', 'confidence', save({ confidence: 0 }), save({ confidence: -0.01 })],
  ['a NUL in the body', 'content', save({ content: 'a b' }), save({ content: 'a\0b' })],
  ['half of a pair in the body', 'content', save({ content: '😀' }), save({ content: 'a\ud83d' })],
  ['half of a pair in a tag', 'metadata.tags[0]', meta({ tags: ['😀'] }), meta({ tags: ['\ude00'] })],
  ['half of a pair in extra', 'metadata.extra.a', meta({ extra: { a: '😀' } }), meta({ extra: { a: '\ud83d' } })],
  ['half of a pair in the reason', 'reason', replace({ reason: '😀' }), replace({ reason: '\ud83d' })],
  [
    'half of a pair in the key',
    'idempotency_key',
    save({ idempotency_key: '😀' }),
    save({ idempotency_key: '\ud83d' }),
  ],
];

test.each(CASES)('%s', async (_name, field, at, over) => {
  const before = { events: eventsOf(t.root).length, files: readdirSync(t.root, { recursive: true }).length };
  const refusal = await alice.refused(over[0], resolved(over[1]));
  expect(refusal).toMatchObject({ code: 'invalid', field });
  expect(refusal.message).toContain(field);
  expect(refusal.next.length).toBeGreaterThan(10);
  // Nothing is written for malformed input, a denial neither.
  expect(eventsOf(t.root)).toHaveLength(before.events);
  const { isError, content } = await alice.raw(at[0], resolved(at[1]));
  expect(isError, content[0].text.slice(0, 300)).not.toBe(true);
});

test('the largest thought that is accepted can be decided, and its file is under 1 MiB', async () => {
  const carol = await connect(t.session('carol', { operator: true }));
  const extra = { a: 'x'.repeat(8000), b: 'x'.repeat(8000), c: 'x'.repeat(7500) };
  const thought_id = await alice.save({ ...SCOPE, content: 'y'.repeat(LIMITS.bodyBytes), metadata: { extra } });
  const reason = 'é'.repeat(LIMITS.reasonBytes / 2);
  const decided = await carol.session.operations().decide({ ...SCOPE, thought_id, verdict: 'reject', reason });
  expect(decided.ok).toBe(true);
  expect(readdirSync(join(t.root, 'trails/acme/api/thoughts/drafts'))).toContain(`${thought_id}.md`);
  const shown = await alice.thought('get_thought', { ...SCOPE, thought_id });
  expect(shown.content).toHaveLength(LIMITS.bodyBytes);
  expect(shown.metadata?.extra?.['trust_gate']).toMatchObject({ reasoning: reason });
});

/** The draft's id is known only when the record is there. */
function resolved(args: Arguments): Arguments {
  return 'thought_id' in args ? { ...args, thought_id: draft } : args;
}

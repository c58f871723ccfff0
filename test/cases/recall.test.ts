/** What recall finds, filters, orders, pages and caps (fava.md 3.4, 10, 11; issue "Recall"; cases.md B30, B31, B33, B35). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeRecord, type TestRecord } from '../support/record.ts';
import { seedThought } from '../support/seed.ts';
import { type Arguments, type Caller, connect } from './caller.ts';

let t: TestRecord;
let alice: Caller;
let bob: Caller;
let carol: Caller;

beforeAll(async () => {
  t = await makeRecord();
  alice = await connect(t.session('alice'));
  bob = await connect(t.session('bob'));
  carol = await connect(t.session('carol', { operator: true }));
});

afterAll(() => t[Symbol.asyncDispose]());

async function approved(args: Arguments): Promise<string> {
  const thought_id = await alice.save(args);
  await carol.ok('propose_truth', { trail_name: args['trail_name'], thought_id, approval: 'human' });
  return thought_id;
}

describe("FAVA's retrieval baseline: 15 cases over 9 records (fava.md 10)", () => {
  const at = { trail_name: 'baseline/eng' };
  const ids: Record<string, string> = {};

  beforeAll(async () => {
    ids['token'] = await approved({ ...at, content: 'The build uses pnpm workspaces' });
    ids['multi'] = await approved({ ...at, content: 'Charge retries need an idempotency key' });
    ids['tag'] = await approved({ ...at, content: 'Nothing to see', metadata: { tags: ['gotcha'] } });
    ids['short'] = await approved({ ...at, content: 'CI runs on two machines' });
    ids['path'] = await approved({ ...at, content: 'See src/store/lock.ts before changing it' });
    ids['stem'] = await approved({ ...at, content: 'Deployments roll out by region' });
    const seed = { author: alice.session, operator: carol.session };
    ids['draft'] = await seedThought({ ...seed, input: { ...at, content: 'hidden draft of pnpm' }, status: 'draft' });
    ids['rejected'] = await seedThought({
      ...seed,
      input: { ...at, content: 'rejected view of pnpm' },
      status: 'rejected',
    });
    ids['elsewhere'] = await approved({ trail_name: 'baseline/ops', content: 'pnpm in another scope' });
  });

  const hits: readonly (readonly [name: string, query: string, expected: readonly string[]])[] = [
    ['an exact token', 'pnpm', ['token']],
    ['several tokens in any order', 'key idempotency charge', ['multi']],
    ['a tag', 'gotcha', ['tag']],
    ['a token of two characters', 'ci', ['short']],
    ['a path with slashes', 'src/store/lock.ts', ['path']],
    ['the parts of a path', 'store lock', ['path']],
    ['a stem within a word', 'deploy', ['stem']],
    ['no synonym', 'release', []],
    ['no paraphrase', 'model architecture decisions', []],
    ['another case', 'PNPM Workspaces', ['token']],
  ];

  test.each(hits)('%s', async (_name, query, expected) => {
    expect(await bob.recall({ ...at, query })).toEqual(expected.map((name) => ids[name]));
  });

  test.each([
    ['the draft to its author', () => alice, { mode: 'authoring', query: 'pnpm', statuses: ['draft'] }, ['draft']],
    [
      'the rejected one to its author',
      () => alice,
      { mode: 'authoring', statuses: ['rejected', 'draft'] },
      ['rejected', 'draft'],
    ],
    ['neither to another agent', () => bob, { mode: 'authoring', query: 'pnpm' }, []],
    ['all to an operator', () => carol, { mode: 'history', query: 'pnpm' }, ['token', 'draft', 'rejected']],
    ['the other scope when named', () => bob, { query: 'pnpm', trail_names: ['baseline/*'] }, ['token', 'elsewhere']],
  ] as const)('%s', async (_name, caller, args, expected) => {
    const found = await caller().recall({ ...at, ...args });
    expect([...found].sort()).toEqual(expected.map((name) => ids[name]).sort());
  });
});

test('queries that are syntax elsewhere are literal text, never an error and never falsely empty (B30, B31)', async () => {
  const at = { trail_name: 'syntax/x' };
  const queries = [
    ...['BENCH-100821', '2026-03-14', "don't", 'a/b', 'TODO: fix', '"', '*', '(', 'NEAR', 'AND', 'OR NOT', 'a:b', '^x'],
    ...[
      '%',
      '_',
      '\\',

      '{col}:y',
      '-x',
      '+',
      "';--",
      '설정',
      '设备',
      'テスト',
      '重跑gen-itgc后',
      '🚀',
      'é',
      'İ',
    ],
  ];
  const id = await approved({ ...at, content: queries.join(' ¦ ') });
  await approved({ ...at, content: 'near miss' });
  for (const query of queries) {
    expect(await bob.recall({ ...at, query }), query).toContain(id);
    expect(await bob.recall({ ...at, query: `${query} absent-word` }), query).toEqual([]);
  }
  expect(await bob.recall({ ...at, query: 'é'.normalize('NFD') })).toContain(id);
  expect(await bob.recall({ ...at, query: '  ' })).toHaveLength(2);
});

test('filters narrow by namespace, project, branch, tags, confidence and query, alone and together', async () => {
  const at = { trail_name: 'filters/x' };
  const full = await approved({
    ...at,
    content: 'has it all',
    source_type: 'decision',
    confidence: 0.9,
    metadata: { project: 'Billing', branch: 'main', tags: ['a', 'b'] },
  });
  const bare = await approved({ ...at, content: 'has nothing', confidence: 0.3 });
  const client = await approved({
    ...at,
    content: 'prefers',
    source_type: 'user_input',
    namespace: 'preferences/client',
  });
  const all = [full, bare, client];
  const cases: readonly (readonly [Arguments, readonly string[]])[] = [
    [{}, all],
    [{ namespace: 'decisions' }, [full]],
    [{ namespace: 'observations' }, [bare]],
    [{ namespace: 'preferences' }, [client]],
    [{ namespace: 'preferences/client' }, [client]],
    [{ namespace: 'preferences/firm' }, []],
    [{ scope: { project: 'Billing' } }, [full]],
    [{ scope: { project: 'billing' } }, []],
    [{ scope: { branch: 'main' } }, [full]],
    [{ scope: { branch: 'mai' } }, []],
    [{ scope: { tags: ['b'] } }, [full]],
    [{ scope: { tags: ['b', 'a'] } }, [full]],
    [{ scope: { tags: ['a', 'c'] } }, []],
    [{ scope: { tags: ['A'] } }, []],
    [{ scope: { tags: [] } }, all],
    [{ min_confidence: 0.9 }, [full]],
    [{ min_confidence: 0.91 }, []],
    [{ min_confidence: 0.5 }, [full, client]],
    [{ min_confidence: 0 }, all],
    [{ query: 'has', min_confidence: 0.5, scope: { project: 'Billing', tags: ['a'] }, namespace: 'decisions' }, [full]],
    [{ query: 'has', min_confidence: 0.5, scope: { project: 'Billing', tags: ['a'] }, namespace: 'observations' }, []],
    [{ query: 'billing main' }, [full]],
    [{ query: 'alice' }, all],
    [{ query: 'user_input' }, [client]],
  ];
  for (const [args, expected] of cases) {
    const found = await bob.ok('recall', { ...at, ...args });
    const ids = (found.thoughts ?? []).map((thought) => thought.thought_id).sort();
    expect(ids, JSON.stringify(args)).toEqual([...expected].sort());
    expect([found.count, found.total]).toEqual([expected.length, expected.length]);
  }
  const texts = { scope: '{"project":"Billing"}', min_confidence: '0.9', limit: '5', trail_names: '["filters/*"]' };
  expect(await bob.recall({ ...at, ...texts })).toEqual([full]);
  expect(await bob.refused('recall', { ...at, scope: { colour: 'red' } })).toMatchObject({
    code: 'invalid',
    field: 'scope',
  });
});

test('related thoughts stand beside the page, within the scopes asked, and never reveal', async () => {
  const at = { trail_name: 'related/x' };
  const seed = { author: alice.session, operator: carol.session };
  const visible = await approved({ ...at, content: 'visible target' });
  const elsewhere = await approved({ trail_name: 'related/y', content: 'target elsewhere' });
  const hidden: string[] = [];
  for (const status of ['draft', 'proposed', 'rejected', 'error', 'tombstoned'] as const) {
    hidden.push(await seedThought({ ...seed, input: { ...at, content: `hidden target ${status}` }, status }));
  }
  const absent = '0'.repeat(26);
  const targets = [visible, elsewhere, ...hidden, absent];
  const relationships = targets.map((target_id) => ({ type: 'REFERENCES', target_id }));
  const source = await approved({ ...at, content: 'the source', relationships });
  const related = async (caller: Caller, args: Arguments) => {
    const answer = await caller.ok('recall', {
      ...at,
      query: 'source',
      include_relationships: true,
      limit: 1,
      ...args,
    });
    expect(answer.thoughts?.map((thought) => thought.thought_id)).toEqual([source]);
    return (answer.related ?? []).map((thought) => thought.thought_id).sort();
  };
  expect(await related(bob, {})).toEqual([visible]);
  expect(await related(bob, { trail_names: ['related/*'] })).toEqual([visible, elsewhere].sort());
  expect(await related(alice, {})).toEqual([visible]);
  expect(await related(carol, { mode: 'history' })).toEqual([visible, ...hidden].sort());
  expect(JSON.stringify(await bob.raw('recall', { ...at, include_relationships: true }))).not.toContain(
    'hidden target',
  );
  expect((await bob.ok('recall', { ...at, query: 'source' })).related).toBeUndefined();
  // A target on the page is not given twice.
  const both = await bob.ok('recall', { ...at, include_relationships: true });
  expect([both.count, both.related]).toEqual([2, []]);
});

describe('pages', () => {
  const at = { trail_name: 'pages/a' };
  const everywhere = { ...at, trail_names: ['pages/*'] };
  const ids: string[] = [];

  beforeAll(async () => {
    const sizes = Array.from({ length: 23 }, (_, n) => n);
    const saved = sizes.map((n) =>
      approved({ trail_name: n % 3 === 0 ? 'pages/b' : 'pages/a', content: `page ${'word '.repeat(n % 5)}${n}` }),
    );
    ids.push(...(await Promise.all(saved)));
    await alice.save({ ...at, content: 'page of nobody else' });
  });

  async function walk(args: Arguments): Promise<readonly (readonly string[])[]> {
    const pages: (readonly string[])[] = [];
    for (let cursor: string | undefined; ; ) {
      const answer = await bob.ok('recall', { ...everywhere, ...args, ...(cursor === undefined ? {} : { cursor }) });
      pages.push((answer.thoughts ?? []).map((thought) => thought.thought_id));
      expect(answer.count).toBe(pages.at(-1)?.length);
      expect(answer.total).toBe(23);
      cursor = answer.cursor;
      if (cursor === undefined) return pages;
    }
  }

  test.each([1, 5, 22, 23, 100])(
    'of %i thoughts cover everything exactly once, in the order of one large page',
    async (limit) => {
      for (const args of [{}, { query: 'page' }, { query: 'page', order: 'newest' }, { query: 'pa ge' }]) {
        const pages = await walk({ ...args, limit });
        expect(pages).toHaveLength(Math.ceil(23 / limit));
        expect(pages.flat()).toEqual((await walk({ ...args, limit: 100 })).flat());
        expect([...pages.flat()].sort()).toEqual([...ids].sort());
      }
    },
  );

  test('newest first is by time, whatever the scope; relevance puts more hits first', async () => {
    const newest = await bob.ok('recall', { ...everywhere, limit: 100, order: 'newest' });
    const times = (newest.thoughts ?? []).map((thought) => String(thought['created_at']));
    expect(times).toEqual([...times].sort().reverse());
    const ranked = await bob.ok('recall', { ...everywhere, limit: 100, query: 'word' });
    const hits = (ranked.thoughts ?? []).map((thought) => thought.content_preview.split('word').length);
    expect(hits[0]).toBe(5);
    expect(hits).toEqual([...hits].sort((a, b) => b - a));
  });

  test('a cursor is bound to query, scopes, filters, view and principal; size and form may change', async () => {
    const first = await carol.ok('recall', { ...everywhere, query: 'page', limit: 5 });
    const next = { ...everywhere, query: 'page', cursor: first.cursor };
    const others: readonly (readonly [Caller, Arguments])[] = [
      [carol, { ...next, query: 'pag' }],
      [carol, { ...next, trail_names: ['pages/a'] }],
      [carol, { ...next, trail_name: 'pages/b' }],
      [carol, { ...next, mode: 'history' }],
      [carol, { ...next, mode: 'authoring' }],
      [carol, { ...next, order: 'newest' }],
      [carol, { ...next, min_confidence: 0.1 }],
      [carol, { ...next, namespace: 'observations' }],
      [carol, { ...next, scope: { tags: ['x'] } }],
      [bob, next],
      [carol, { ...next, cursor: `${first.cursor}x` }],
      [carol, { ...next, cursor: String(first.cursor).slice(1) }],
      [carol, { ...next, cursor: '' }],
      [carol, { ...next, cursor: 'x'.repeat(5_000) }],
      [carol, { ...next, cursor: Buffer.from('{"bound":1}').toString('base64url') }],
    ];
    for (const [caller, args] of others) {
      const refusal = await caller.refused('recall', args);
      expect(refusal, JSON.stringify(args).slice(0, 200)).toMatchObject({ code: 'invalid', field: 'cursor' });
    }
    expect((await carol.ok('recall', { ...next, limit: 7, full: true })).count).toBe(7);
    expect((await carol.ok('recall', next)).count).toBe(18);
  });

  test('a page after a change of the record says so and still gives nothing twice', async () => {
    const first = await bob.ok('recall', { ...everywhere, limit: 10, order: 'newest' });
    const late = await approved({ ...at, content: 'page that came later' });
    const second = await bob.ok('recall', { ...everywhere, limit: 100, order: 'newest', cursor: first.cursor });
    expect(second.notes).toContainEqual(expect.stringContaining('changed'));
    const seen = [...(first.thoughts ?? []), ...(second.thoughts ?? [])].map((thought) => thought.thought_id);
    expect([...seen].sort()).toEqual([...ids].sort());
    expect(await bob.recall({ ...everywhere, query: 'later' })).toEqual([late]);
    ids.push(late);
    await carol.ok('propose_truth', { ...at, thought_id: late, approval: 'human' });
  });
});

describe('a common word in 60 thoughts of 5 KB (B35)', () => {
  const at = { trail_name: 'large/x' };
  const CAP = 64 * 1024;

  beforeAll(async () => {
    const body = (n: number) => `common ${n} ${'filler text '.repeat(420)}`;
    await Promise.all(Array.from({ length: 60 }, (_, n) => approved({ ...at, content: body(n) })));
    await approved({ ...at, content: `enormous ${'x'.repeat(200_000)}` });
  });

  const sizeOf = (answer: object) => JSON.stringify(answer).length;

  test('previews of a page stay small', async () => {
    const answer = await bob.ok('recall', { ...at, query: 'common' });
    expect([answer.count, answer.total]).toEqual([20, 60]);
    expect(answer.cursor).toBeDefined();
    expect(sizeOf(answer)).toBeLessThan(16 * 1024);
    expect(answer.thoughts?.every((thought) => thought.content === undefined)).toBe(true);
    expect((answer.thoughts ?? []).every((thought) => thought.content_preview.length <= 203)).toBe(true);
  });

  test('full gives whole bodies, ends the page at its cap, says so, and goes on with the cursor', async () => {
    const seen: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const answer = await bob.ok('recall', {
        ...at,
        query: 'common',
        full: true,
        limit: 100,
        ...(cursor ? { cursor } : {}),
      });
      expect(sizeOf(answer)).toBeLessThan(CAP);
      for (const { thought_id, content } of answer.thoughts ?? []) {
        expect(content).toContain('filler text');
        expect(content?.length).toBeGreaterThan(5_000);
        seen.push(thought_id);
      }
      cursor = answer.cursor;
      if (cursor === undefined) break;
      expect(answer.notes).toContainEqual(expect.stringContaining('cut at its size limit'));
    }
    expect([new Set(seen).size, seen.length]).toEqual([60, 60]);
  });

  test('max_tokens ends the page earlier; one thought is always given', async () => {
    for (const [max_tokens, full] of [
      [500, false],
      [4_000, true],
      [1, false],
      [1, true],
    ] as const) {
      const answer = await bob.ok('recall', { ...at, query: 'common', max_tokens, full });
      expect(answer.count).toBeGreaterThan(0);
      if (max_tokens > 1) expect(JSON.stringify(answer.thoughts).length).toBeLessThanOrEqual(max_tokens * 4 + 100);
      else expect(answer.count).toBe(1);
      expect(answer.cursor).toBeDefined();
    }
  });

  test('a body above its cap is cut and marked; get_thought gives it whole', async () => {
    const [thought] = (await bob.ok('recall', { ...at, query: 'enormous', full: true })).thoughts ?? [];
    expect(thought).toMatchObject({ content_truncated: true });
    expect(thought?.content).toHaveLength(16 * 1024);
    const whole = await bob.thought('get_thought', { ...at, thought_id: thought?.thought_id });
    expect(whole.content).toHaveLength(200_009);
  });
});

test('what is superseded takes no place on a page and no part in a total (B33)', async () => {
  const at = { trail_name: 'stale/x' };
  const first = await approved({ ...at, content: 'stale answer' });
  const args = { ...at, thought_id: first, content: 'fresh answer', reason: 'newer' };
  const { thought_id } = await bob.thought('supersede', args);
  await carol.ok('propose_truth', { ...at, thought_id, approval: 'human' });
  expect(await bob.ok('recall', { ...at, limit: 1 })).toMatchObject({ count: 1, total: 1, thoughts: [{ thought_id }] });
  expect(await bob.recall({ ...at, query: 'stale' })).toEqual([]);
  expect((await bob.ok('list_scopes', { prefix: 'stale', include_stats: true })).scopes).toEqual([
    { path: 'stale/x', thought_count: 1 },
  ]);
});

test('withheld thoughts never change count, total, order or scores of visible ones', async () => {
  const at = { trail_name: 'order/x' };
  const visible = [];
  for (const words of ['signal', 'signal signal', 'signal noise noise', 'a signal']) {
    visible.push(await approved({ ...at, content: words, metadata: { tags: ['t'] } }));
  }
  const ask = async () => {
    const answers = [];
    for (const args of [{ query: 'signal' }, { query: 'sig' }, {}, { query: 'si', limit: 2 }, { query: 'noise' }]) {
      const { cursor: _, ...answer } = await bob.ok('recall', { ...at, ...args });
      answers.push(answer);
    }
    return answers;
  };
  const before = await ask();
  expect(before[0]?.thoughts?.map((thought) => thought.thought_id).sort()).toEqual([...visible].sort());
  const seed = { author: alice.session, operator: carol.session };
  for (const status of ['draft', 'proposed', 'rejected', 'error', 'tombstoned'] as const) {
    for (let n = 0; n < 4; n++) {
      await seedThought({ ...seed, input: { ...at, content: `signal ${'signal noise '.repeat(n * 9)}` }, status });
    }
  }
  expect(await ask()).toEqual(before);
  expect((await carol.ok('recall', { ...at, query: 'signal', mode: 'history' })).total).toBe(24);
});

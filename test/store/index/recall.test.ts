import { describe, expect, test } from 'vitest';
import { tokensOf } from '../../../src/record/matching.ts';
import type { VisibilityClass } from '../../../src/record/visibility.ts';
import type { Index, RecallHit, RecallPage, RecallQuery } from '../../../src/store/index/index.ts';
import { indexOf, row, write } from './support.ts';

const GOVERNED: readonly VisibilityClass[] = [1];
const EVERY: readonly VisibilityClass[] = [1, 2, 3, 4];

function ask(index: Index, query: string, options: Partial<RecallQuery> = {}): RecallPage {
  return index.recall({
    scopes: ['team'],
    classes: GOVERNED,
    tokens: tokensOf(query),
    filters: {},
    order: 'relevance',
    limit: 20,
    ...options,
  });
}

function bodies(page: RecallPage): readonly string[] {
  return page.hits.map((hit) => hit.thought.body);
}

/** Follows cursors to the end. */
function allPages(index: Index, query: string, options: Partial<RecallQuery>): readonly RecallHit[] {
  const hits: RecallHit[] = [];
  let page = ask(index, query, options);
  while (page.hits.length > 0) {
    hits.push(...page.hits);
    const after = page.hits.at(-1)?.cursor;
    if (after === undefined) break;
    // As a caller gets it back.
    page = ask(index, query, { ...options, after: JSON.parse(JSON.stringify(after)) });
  }
  return hits;
}

describe('recall: literal queries (B30, B31)', () => {
  const texts = [
    'BENCH-100821 on 2026-03-14',
    "don't do a/b",
    'TODO: fix "quoted" text*',
    '( NEAR AND OR NOT )',
    'a:b ^x {c} +d',
    '重跑gen-itgc后 设备 テスト',
    'fn() -> c#',
  ];
  const index = indexOf(texts.map((text, n) => row(n, text)));

  test.each([
    ['BENCH-100821', 0],
    ['2026-03-14', 0],
    ["don't", 1],
    ['a/b', 1],
    ['TODO: fix', 2],
    ['"', 2],
    ['"quoted"', 2],
    ['*', 2],
    ['(', 3],
    ['NEAR', 3],
    ['AND OR NOT', 3],
    ['a:b', 4],
    ['^x', 4],
    ['{c}', 4],
    ['+d', 4],
    ['itgc', 5],
    ['设备', 5],
    ['跑', 5],
    ['テスト', 5],
    ['->', 6],
    ['c#', 6],
  ])('%s', (query, expected) => {
    expect(bodies(ask(index, query))).toContain(texts[expected]);
    expect(ask(index, `${query} missingword`).total).toEqual({ exact: 0 });
  });

  test('a token of any length and any number of tokens', () => {
    const long = Array.from({ length: 3000 }, (_, n) => n.toString(36)).join('');
    const words = Array.from({ length: 400 }, (_, n) => `w${n}`).join(' ');
    const large = indexOf([row(1, `${long}\n${words}`), row(2, 'w1')]);
    expect(ask(large, long).total).toEqual({ exact: 1 });
    expect(ask(large, `${long}x`).total).toEqual({ exact: 0 });
    expect(ask(large, words).total).toEqual({ exact: 1 });
    expect(ask(large, `${words} w400`).total).toEqual({ exact: 0 });
  });

  test('finds decomposed text by a composed query and the other way round (B15)', () => {
    const korean = indexOf([row(1, '학점'.normalize('NFD')), row(2, 'Café'.normalize('NFC'))]);
    expect(ask(korean, '학점').total).toEqual({ exact: 1 });
    expect(ask(korean, 'CAFE\u0301').total).toEqual({ exact: 1 });
    expect(ask(korean, '학기').total).toEqual({ exact: 0 });
  });
});

describe('recall: filters', () => {
  const index = indexOf([
    row(1, 'x one', { metadata: { project: 'p', branch: 'main', tags: ['a', 'b'] } }),
    row(2, 'x two', { metadata: { project: 'p', tags: ['a'] }, thought: { agent_id: 'bob', confidence: 0.9 } }),
    row(3, 'x three', { namespace: 'preferences/firm' }),
    row(4, 'x four', { namespace: 'preferences' }),
    row(5, 'x five', { namespace: 'observations', metadata: { tags: ['"a"', 'A'] } }),
    row(6, 'x six', { thought: { validation_status: 'draft' } }),
  ]);

  test.each<[string, RecallQuery['filters'], readonly string[]]>([
    ['namespace with its subfolders', { namespace: 'preferences' }, ['x four', 'x three']],
    ['a subfolder alone', { namespace: 'preferences/firm' }, ['x three']],
    ['project', { project: 'p' }, ['x two', 'x one']],
    ['branch', { branch: 'main' }, ['x one']],
    ['all of the tags', { tags: ['a', 'b'] }, ['x one']],
    ['one tag, exactly', { tags: ['a'] }, ['x two', 'x one']],
    ['confidence', { min_confidence: 0.9 }, ['x two']],
    ['author', { agent_id: 'bob' }, ['x two']],
    ['status', { statuses: ['draft'] }, ['x six']],
    ['no status at all', { statuses: [] }, []],
    ['two filters', { project: 'p', min_confidence: 0.6 }, ['x two']],
  ])('%s', (_, filters, expected) => {
    for (const query of ['x', '']) {
      const page = ask(index, query, { filters, classes: EVERY });
      expect(bodies(page)).toEqual(expected);
      expect(page.total).toEqual({ exact: expected.length });
    }
  });

  test('come before the limit and the count', () => {
    const filters = { agent_id: 'bob' };
    expect(bodies(ask(index, 'x', { filters, limit: 1 }))).toEqual(['x two']);
    expect(ask(index, 'x', { limit: 1 }).total).toEqual({ exact: 5 });
  });
});

describe('recall: scopes and classes', () => {
  test('rows of other scopes neither appear nor take a place, however well they match (starvation)', () => {
    const others = Array.from({ length: 300 }, (_, n) => row(1000 + n, 'needle needle needle', { scope: 'other' }));
    const own = [row(1, `needle ${'long text '.repeat(100)}`), row(2, 'a needle')];
    const index = indexOf([...others, ...own]);
    for (const order of ['relevance', 'newest'] as const) {
      const page = ask(index, 'needle', { order, limit: 5 });
      expect(page.hits.map((hit) => hit.scope)).toEqual(['team', 'team']);
      expect(page.total).toEqual({ exact: 2 });
    }
    expect(ask(index, 'needle', { scopes: ['other'] }).total).toEqual({ exact: 300 });
    expect(ask(index, 'needle', { scopes: ['team', 'other'] }).total).toEqual({ exact: 302 });
    expect(ask(index, '', { limit: 5 }).total).toEqual({ exact: 2 });
  });

  test('a scope that is absent, empty or only alike gives nothing', () => {
    const index = indexOf([row(1, 'needle'), row(2, 'needle', { scope: 'team/sub' })]);
    for (const scopes of [[], ['absent'], ['Team'], ['tea'], ['team/'], ['*'], ['%']]) {
      for (const query of ['needle', '']) expect(ask(index, query, { scopes }).total).toEqual({ exact: 0 });
    }
    expect(ask(index, 'needle', { scopes: ['team', 'absent'] }).total).toEqual({ exact: 1 });
    expect(ask(index, 'needle', { classes: [] }).total).toEqual({ exact: 0 });
  });

  test('many scopes, some or all, give the union', () => {
    const rows = Array.from({ length: 60 }, (_, n) => row(n, `needle ${n}`, { scope: `s/${n % 30}` }));
    const index = indexOf(rows);
    for (const size of [2, 16, 17, 25, 30]) {
      const scopes = Array.from({ length: size }, (_, n) => `s/${n}`);
      for (const query of ['needle', '']) {
        const hits = allPages(index, query, { scopes, limit: 7, order: 'newest' });
        expect(hits.map((hit) => hit.thought.body)).toEqual(
          rows
            .filter((one) => scopes.includes(one.scope))
            .map((one) => one.thought.body)
            .reverse(),
        );
      }
    }
  });

  test('withheld rows change neither order, scores nor totals of the rest', () => {
    const words = ['gate', 'delegates', 'gate gate', 'the gate opens', 'a'.repeat(400)];
    const visible = Array.from({ length: 40 }, (_, n) => row(n, `${words[n % 5]} ${words[n % 3]} x${n}`));
    const index = indexOf(visible);
    const queries = ['gate', 'ga', 'x1', 'gate the', '', 'aaa'];
    const results = () => queries.map((query) => allPages(index, query, { limit: 9 }));
    const before = results();
    const withheld = Array.from({ length: 200 }, (_, n) =>
      row(500 + n, `gate ${'gate '.repeat(n)} aaa x1 the`, {
        held: n % 3 !== 0,
        thought: { validation_status: n % 2 === 0 ? 'draft' : 'rejected' },
      }),
    );
    write(index, () => withheld.forEach(index.putThought));
    expect(ask(index, 'gate', { classes: EVERY }).total).toEqual({ exact: 40 + 200 });
    expect(results()).toEqual(before);
    write(index, () => {
      for (const one of withheld) index.removeThought(one.path);
    });
    expect(results()).toEqual(before);
  });
});

describe('recall: order and pages', () => {
  const many = Array.from({ length: 230 }, (_, n) =>
    row(Math.floor(n / 3), `needle ${'needle '.repeat(n % 4)}`, {
      id: `01J${String(n % 200).padStart(23, '0')}`,
      scope: `s${n % 3}`,
    }),
  );
  const scopes = ['s0', 's1', 's2'];
  const index = indexOf(many);

  test.each([
    ['needle', 'relevance'],
    ['needle', 'newest'],
    ['', 'relevance'],
    ['', 'newest'],
  ] as const)('%s by %s returns each match exactly once, in order, on pages of any size', (query, order) => {
    const whole = ask(index, query, { scopes, order, limit: 1000 }).hits.map((hit) => hit.path);
    expect(new Set(whole)).toEqual(new Set(many.map((one) => one.path)));
    expect(whole.length).toBe(many.length);
    for (const limit of [1, 7, 100]) {
      expect(allPages(index, query, { scopes, order, limit }).map((hit) => hit.path)).toEqual(whole);
    }
  });

  test('relevance falls, then time, then id', () => {
    const hits = ask(index, 'needle', { scopes, limit: 1000 }).hits;
    const keys = hits.map((hit) => [hit.score, Number(hit.cursor.time), hit.thought.thought_id] as const);
    expect(keys).toEqual([...keys].sort((a, b) => b[0] - a[0] || b[1] - a[1] || (a[2] < b[2] ? 1 : -1)));
    expect(new Set(keys.map(([points]) => points)).size).toBe(4);
  });

  test('files with the same id and time are both returned, once each', () => {
    const twins = ['a', 'b', 'c'].map((scope) => row(1, 'twin', { scope }));
    for (const query of ['twin', '']) {
      const found = allPages(indexOf(twins), query, { scopes: ['a', 'b', 'c'], limit: 1 });
      expect(found.map((hit) => hit.scope)).toEqual(['c', 'b', 'a']);
    }
  });

  test('time counts to the microsecond, across offsets, and by the day where no more is known', () => {
    const days = ['2026-01-01T10:00Z', '2026-01-02', '2025-12-31T00:00:00Z'];
    const dated = indexOf(days.map((created_at, n) => row(n, `d${n}`, { thought: { created_at } })));
    expect(bodies(ask(dated, '', { order: 'newest' }))).toEqual(['d1', 'd0', 'd2']);
    const times = ['2026-01-01T00:00:00.000001+00:00', '2026-01-01 02:00:00.000002+02:00', '2025-12-31T23:00:00-01:00'];
    const timed = indexOf(times.map((created_at, n) => row(n, `t${n}`, { thought: { created_at } })));
    expect(bodies(ask(timed, '', { order: 'newest' }))).toEqual(['t1', 't0', 't2']);
  });
});

describe('recall: totals', () => {
  const common = Array.from({ length: 2100 }, (_, n) =>
    row(n, n < 1000 ? 'often thousand' : `often${n < 2000 ? ' most' : ''}`),
  );
  const index = indexOf(common);

  test('are exact to 1,000 and at least 1,000 above, with and without a query', () => {
    expect(ask(index, 'thousand').total).toEqual({ exact: 1000 });
    expect(ask(index, 'most').total).toEqual({ exact: 1000 });
    expect(ask(index, 'often').total).toEqual({ at_least: 1000 });
    expect(ask(index, '').total).toEqual({ at_least: 1000 });
  });

  test('above 2,000 matches the order is newest first and the page says so', () => {
    const page = ask(index, 'often');
    expect(page.tooCommon).toBe(true);
    expect(page.hits.map((hit) => hit.path)).toEqual(
      common
        .slice(-20)
        .reverse()
        .map((one) => one.path),
    );
    const fewer = ask(index, 'often', { filters: { statuses: ['draft'] } });
    expect(fewer.tooCommon).toBe(false);
    write(index, () => common.slice(0, 100).forEach((one) => void index.removeThought(one.path)));
    expect(ask(index, 'often')).toMatchObject({ tooCommon: false, total: { at_least: 1000 } });
    write(index, () => common.slice(0, 100).forEach(index.putThought));
    expect(ask(index, 'often').tooCommon).toBe(true);
  });

  test('a common token whose matches are all old is paged completely', () => {
    const newer = Array.from({ length: 1500 }, (_, n) => row(5000 + n, 'unrelated'));
    write(index, () => newer.forEach(index.putThought));
    const paths = allPages(index, 'often', { limit: 100 }).map((hit) => hit.path);
    expect(paths).toEqual([...common].reverse().map((one) => one.path));
  });
});

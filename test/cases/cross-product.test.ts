/** What each reader sees of every status, with exact counts (fava.md 11 test_governance; marks.md 1.2, 1.4, 1.7). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { STATUSES, type Status } from '../../src/record/thought.ts';
import { makeRecord, type TestRecord } from '../support/record.ts';
import { REJECTION, seedThought } from '../support/seed.ts';
import { type Arguments, type Caller, connect } from './caller.ts';

const SCOPES = ['acme/api', 'acme/web'] as const;
const AUTHORS = ['alice', 'bob'] as const;
const WITHHELD = STATUSES.filter((status) => status !== 'approved');
const AUTHORING = ['draft', 'proposed', 'rejected', 'error'] as const;

interface Seeded {
  readonly id: string;
  readonly scope: string;
  readonly author: string;
  readonly status: Status;
  /** Occurs in this thought's body and in questions after it. */
  readonly word: string;
  /** Occurs in this thought's body and nowhere else. */
  readonly text: string;
}

let t: TestRecord;
const seeded: Seeded[] = [];
const callers = new Map<string, Caller>();

/** The 2 scopes x 6 statuses x 2 authors, each body with the word `shared` and a text of its own. */
beforeAll(async () => {
  t = await makeRecord();
  for (const name of [...AUTHORS, 'third']) callers.set(name, await connect(t.session(name)));
  callers.set('carol', await connect(t.session('carol', { operator: true })));
  for (const scope of SCOPES) {
    for (const author of AUTHORS) {
      for (const status of STATUSES) {
        const word = `${scope.replace('/', '-')}-${author}-${status}`;
        const text = `text-of-${word}`;
        const id = await seedThought({
          author: callerOf(author).session,
          operator: callerOf('carol').session,
          input: { trail_name: scope, content: `shared ${word} ${text}` },
          status,
        });
        seeded.push({ id, scope, author, status, word, text });
      }
    }
  }
});

afterAll(async () => {
  await Promise.all([...callers.values()].map((caller) => caller.client.close()));
  await t[Symbol.asyncDispose]();
});

function callerOf(name: string): Caller {
  const caller = callers.get(name);
  if (caller === undefined) throw new Error(`No caller "${name}"`);
  return caller;
}

function idsWhere(test: (seed: Seeded) => boolean): readonly string[] {
  return seeded
    .filter(test)
    .map((seed) => seed.id)
    .sort();
}

const reaches: readonly (readonly [name: string, args: object, scopes: readonly string[]])[] = [
  ['one scope', { trail_name: SCOPES[0] }, [SCOPES[0]]],
  ['the other scope', { trail_name: SCOPES[1] }, [SCOPES[1]]],
  ['both by name', { trail_name: SCOPES[0], trail_names: [SCOPES[1]] }, SCOPES],
  ['both by glob', { trail_name: SCOPES[1], trail_names: ['acme/*', '**'] }, SCOPES],
  ['an absent scope', { trail_name: 'acme/none' }, []],
];

describe.each(reaches)('recall over %s', (_name, reach, scopes) => {
  async function expectExactly(reader: string, args: object, expected: readonly string[]): Promise<void> {
    for (const query of [{}, { query: 'shared' }]) {
      const found = await callerOf(reader).ok('recall', { ...reach, ...args, ...query });
      const ids = (found.thoughts ?? []).map((thought) => thought.thought_id).sort();
      expect(ids, `${reader} ${JSON.stringify({ ...args, ...query })}`).toEqual(expected);
      expect([found.count, found.total]).toEqual([expected.length, expected.length]);
    }
  }

  test.each([...AUTHORS, 'third', 'carol'])(
    'the governed view of %s holds the approved and nothing else',
    async (reader) => {
      const approved = idsWhere((seed) => seed.status === 'approved' && scopes.includes(seed.scope));
      expect(approved).toHaveLength(2 * scopes.length);
      await expectExactly(reader, {}, approved);
      await expectExactly(reader, { mode: 'governed' }, approved);
    },
  );

  test.each([...AUTHORS, 'third', 'carol'])(
    'the authoring view of %s holds own open and rejected thoughts',
    async (reader) => {
      const own = (statuses: readonly Status[]) =>
        idsWhere(
          ({ author, status, scope }) => author === reader && statuses.includes(status) && scopes.includes(scope),
        );
      const isAuthor = AUTHORS.some((author) => author === reader);
      expect(own(AUTHORING)).toHaveLength(isAuthor ? 4 * scopes.length : 0);
      await expectExactly(reader, { mode: 'authoring' }, own(AUTHORING));
      for (const status of AUTHORING) {
        expect(own([status])).toHaveLength(isAuthor ? scopes.length : 0);
        await expectExactly(reader, { mode: 'authoring', statuses: [status] }, own([status]));
      }
    },
  );

  test('the history view is for operators: all of it, and each status', async () => {
    const all = idsWhere((seed) => scopes.includes(seed.scope));
    expect(all).toHaveLength(12 * scopes.length);
    await expectExactly('carol', { mode: 'history', limit: 100 }, all);
    for (const status of STATUSES) {
      const of = idsWhere((seed) => seed.status === status && scopes.includes(seed.scope));
      expect(of).toHaveLength(2 * scopes.length);
      await expectExactly('carol', { mode: 'history', statuses: [status] }, of);
    }
    for (const agent of [...AUTHORS, 'third']) {
      const refusal = await callerOf(agent).refused('recall', { ...reach, mode: 'history' });
      expect(refusal).toMatchObject({ code: 'authority', rule: 'history_needs_operator', field: 'mode' });
    }
  });
});

test('an author reads an own rejected thought with its reason, in authoring and by id', async () => {
  for (const { id, scope, author } of seeded.filter((seed) => seed.status === 'rejected')) {
    const gate = { verdict: 'reject', reasoning: REJECTION, kind: 'human', reviewer: 'human:carol' };
    const [listed] =
      (await callerOf(author).ok('recall', { trail_name: scope, mode: 'authoring', query: id })).thoughts ?? [];
    expect(listed?.metadata?.extra?.['trust_gate']).toMatchObject(gate);
    for (const mode of [{}, { mode: 'authoring' }]) {
      const got = await callerOf(author).thought('get_thought', { trail_name: scope, thought_id: id, ...mode });
      expect(got.validation_status).toBe('rejected');
      expect(got.metadata?.extra?.['trust_gate']).toMatchObject(gate);
    }
  }
});

test('get answers each reader by exactly the views it has', async () => {
  for (const { id, scope, author, status } of seeded) {
    for (const reader of [...AUTHORS, 'third', 'carol']) {
      const own = reader === author;
      const visible = {
        // Who may decide about it reads what waits.
        lineage: own || status === 'approved' || (reader === 'carol' && status === 'proposed'),
        governed: status === 'approved',
        authoring: own && AUTHORING.some((open) => open === status),
        history: reader === 'carol',
      };
      for (const [mode, isVisible] of Object.entries(visible)) {
        const args = { trail_name: scope, thought_id: id, ...(mode === 'lineage' ? {} : { mode }) };
        const answer = await callerOf(reader).raw('get_thought', args);
        expect(answer.isError !== true, `${reader} ${mode} ${status} of ${author}`).toBe(isVisible);
        const code = mode === 'history' ? 'authority' : 'not_found';
        if (!isVisible) expect(answer.structuredContent).toMatchObject({ code });
      }
    }
  }
});

test('list_scopes counts what the governed view holds, for every reader', async () => {
  for (const reader of [...AUTHORS, 'third', 'carol']) {
    for (const tool of ['list_scopes', 'list_trails']) {
      const listed = await callerOf(reader).ok(tool, { include_stats: true });
      expect(listed.scopes).toEqual(SCOPES.map((path) => ({ path, thought_count: 2 })));
    }
  }
});

describe.each(WITHHELD)('a thought that is %s', (status) => {
  test('is in no answer of any tool to a reader who is neither author nor operator', async () => {
    const reader = callerOf('third');
    const hidden = seeded.filter((seed) => seed.status === status);
    expect(hidden).toHaveLength(4);
    for (const seed of hidden) {
      const texts: string[] = [];
      for (const scope of [seed.scope, 'acme/none']) {
        for (const [tool, args] of attempts({ ...seed, scope })) {
          const { content, structuredContent } = await reader.raw(tool, args);
          texts.push(JSON.stringify({ content, structuredContent }));
        }
      }
      expect(texts.filter((text) => text.includes(seed.text))).toEqual([]);
      // The same search finds an approved thought of the same author and scope, and the author finds this one.
      const near = seeded.find(
        (other) => other.scope === seed.scope && other.author === seed.author && other.status === 'approved',
      );
      const found = JSON.stringify(await reader.raw('recall', { trail_name: seed.scope, query: near?.word }));
      expect(found).toContain(near?.text);
      const own = await callerOf(seed.author).raw('get_thought', { trail_name: seed.scope, thought_id: seed.id });
      expect(JSON.stringify(own)).toContain(seed.text);
      const history = await callerOf('carol').raw('recall', {
        trail_name: seed.scope,
        query: seed.text,
        mode: 'history',
      });
      expect(JSON.stringify(history)).toContain(seed.text);
    }
  });

  test('cannot be told from one that never existed, nor its scope from an absent one', async () => {
    const operator = callerOf('carol').session;
    const scope = `hidden/${status}`;
    const input = { trail_name: scope, content: 'shared unseen words' };
    const id = await seedThought({ author: callerOf('alice').session, operator, input, status });
    const absent = { scope: `absent/${status}`, id: `${'0'.repeat(16)}${'Z'.repeat(10)}`, word: 'unseen' };
    const reader = callerOf('third');
    const real = attempts({ scope, id, word: 'unseen' });
    const unreal = attempts(absent);
    for (const [index, [tool, args]] of real.entries()) {
      const [, absentArgs] = unreal[index] ?? ['', {}];
      const answers = [await reader.raw(tool, args), await reader.raw(tool, absentArgs)];
      const [one, other] = answers.map((answer, at) => blurred(answer, at === 0 ? { scope, id } : absent));
      expect(one, `${tool} ${JSON.stringify(args)}`).toBe(other);
    }
    // The author of the thought gets other answers in the real scope, so the comparison can tell things apart.
    const own = { trail_name: scope, thought_id: id };
    expect((await callerOf('alice').thought('get_thought', own)).content).toBe(input.content);
    expect((await callerOf('carol').thought('get_thought', { ...own, mode: 'history' })).content).toBe(input.content);
    const listed = await reader.ok('list_scopes', {});
    expect(listed.scopes?.map(({ path }) => path)).not.toContain(scope);
    expect((await callerOf('carol').ok('list_scopes', {})).scopes?.map(({ path }) => path)).toContain(scope);
  });
});

interface Target {
  readonly scope: string;
  readonly id: string;
  readonly word: string;
}

/** Every way a reader can ask after a thought, by every tool. */
function attempts({ scope, id, word }: Target): readonly (readonly [string, Arguments])[] {
  const at = { trail_name: scope };
  const it = { ...at, thought_id: id };
  const prefix = { ...at, thought_id: id.slice(0, 20) };
  const elsewhere = { trail_name: 'elsewhere/x', thought_id: id };
  const searches = [{ query: word }, { query: id }, { query: word.slice(0, 2) }, {}];
  const recalls = searches.flatMap((search) => [
    search,
    { ...search, mode: 'authoring' },
    { ...search, mode: 'history' },
    { ...search, include_relationships: true },
    { ...search, full: true, order: 'newest' },
    { ...search, mode: 'authoring', statuses: ['draft', 'proposed', 'rejected', 'error'] },
    { ...search, statuses: ['draft'] },
    { ...search, include_superseded: true },
  ]);
  const globs = [['**'], ['*/*'], [scope], [`${scope.split('/')[0]}/*`]];
  return [
    ...recalls.map((search) => ['recall', { ...at, ...search }] as const),
    ...globs.map((trail_names) => ['recall', { trail_name: 'elsewhere/x', trail_names, query: word }] as const),
    ...[it, prefix, elsewhere, { ...it, thought_id: id.toLowerCase() }].flatMap((target) => [
      ['get_thought', target] as const,
      ['get_thought', { ...target, mode: 'governed' }] as const,
      ['get_thought', { ...target, mode: 'authoring' }] as const,
      ['get_thought', { ...target, mode: 'history' }] as const,
      ['update_thought', { ...target, content: 'mine now' }] as const,
      ['propose_truth', target] as const,
      ['propose_truth', { ...target, claim: '0'.repeat(64) }] as const,
      ['propose_truth', { ...target, approval: 'human' }] as const,
      ['supersede', { ...target, content: 'mine now', reason: 'better' }] as const,
      ['change_scope', { ...target, content: 'mine now', reason: 'moved', target_trail_name: scope }] as const,
    ]),
    ['list_scopes', { prefix: scope, include_stats: true }],
    ['list_scopes', { prefix: scope.split('/')[0], include_stats: true }],
    ['list_trails', { include_stats: true }],
  ];
}

/** An answer as text, without the names the caller itself sent and the fence's random id. */
function blurred(answer: object, names: { scope: string; id: string }): string {
  return (
    JSON.stringify(answer)
      .replaceAll(names.scope, '<scope>')
      .replaceAll(names.id, '<id>')
      // Whether the denial was on disk within 200 ms depends on the machine, not on the thought.
      .replaceAll(/\\*"not_recorded\\*":true,/g, '')
      .replaceAll(/stored-data id=\\"[^"]+\\"/g, 'stored-data')
  );
}

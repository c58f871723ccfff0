/** Two clocks: when a claim is true in the world, and when the record knew it (issue 5, "Two clocks"; marks.md 1.3). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { acceptFile } from '../support/accept.ts';
import { makeRecord, type TestRecord } from '../support/record.ts';
import { type Arguments, type Caller, connect } from './caller.ts';
import { commitFile, denialsOf, recorded } from './evidence.ts';

/** Time of the events; no test waits. */
let now = Date.parse('2026-03-02T09:00:00.000Z');
let t: TestRecord;
let alice: Caller;
let bob: Caller;
let carol: Caller;

beforeAll(async () => {
  t = await makeRecord({ now: () => now });
  alice = await connect(t.session('alice'));
  bob = await connect(t.session('bob'));
  carol = await connect(t.session('carol', { operator: true }));
});

afterAll(() => t[Symbol.asyncDispose]());

/** Lets time pass and answers the moment before: all that was done so far is known then, and nothing that follows. */
function moment(ms = 60_000): string {
  const at = new Date(now).toISOString();
  now += ms;
  return at;
}

async function approve(trail_name: string, thought_id: string): Promise<string> {
  await carol.ok('propose_truth', { trail_name, thought_id, approval: 'human' });
  return thought_id;
}

async function approved(args: Arguments): Promise<string> {
  return approve(String(args['trail_name']), await alice.save(args));
}

/** Approved replacement of an approved thought. */
async function corrected(trail_name: string, thought_id: string, args: Arguments): Promise<string> {
  const draft = { trail_name, thought_id, reason: 'We know better', ...args };
  const successor = await alice.thought('supersede', draft);
  return approve(trail_name, successor.thought_id);
}

/** Ids without order: what comes back is a set. */
async function found(caller: Caller, args: Arguments): Promise<readonly string[]> {
  return [...(await caller.recall(args))].sort();
}

function set(...ids: readonly string[]): readonly string[] {
  return [...ids].sort();
}

describe('valid_at', () => {
  const at = { trail_name: 'acme/tariff' };
  let year: string;
  let june: string;
  let since: string;
  let until: string;
  let always: string;

  beforeAll(async () => {
    // Out of order: what holds from a later time on was saved first.
    since = await approved({ ...at, content: 'tariff since July', valid_from: '2025-07-01' });
    year = await approved({ ...at, content: 'tariff of the year', valid_from: '2025-01-01', valid_to: '2026-01-01' });
    until = await approved({ ...at, content: 'tariff until June', valid_to: '2025-06-01T02:00:00+02:00' });
    june = await approved({ ...at, content: 'tariff of June', valid_from: '2025-06-01', valid_to: '2025-07-01' });
    always = await approved({ ...at, content: 'tariff without dates' });
    moment();
  });

  const moments: readonly (readonly [string, () => readonly string[]])[] = [
    ['2024-12-31T23:59:59.999999Z', () => set(until, always)],
    ['2025-01-01', () => set(year, until, always)],
    ['2025-05-31T23:59:59.999999Z', () => set(year, until, always)],
    ['2025-06-01', () => set(year, june, always)],
    ['2025-06-30T23:59:59.999999Z', () => set(year, june, always)],
    ['2025-07-01T00:00:00+00:00', () => set(year, since, always)],
    ['2025-12-31T23:59:59.999999Z', () => set(year, since, always)],
    ['2026-01-01', () => set(since, always)],
    ['2026-01-01T00:00:00+01:00', () => set(year, since, always)],
  ];

  test.each(moments)('at %s holds exactly what was true then, by words and without', async (valid_at, expected) => {
    for (const query of [undefined, 'tariff', 'ta']) {
      const page = await bob.ok('recall', { ...at, query, valid_at });
      expect((page.thoughts ?? []).map(({ thought_id }) => thought_id).sort()).toEqual(expected());
      expect(page.total).toBe(expected().length);
      expect(page['filters']).toMatchObject({ valid_at });
    }
  });

  test('a fact about last year saved today is found by that year, and its row is of today', async () => {
    const [thought] = (await bob.ok('recall', { ...at, query: 'june', valid_at: '2025-06-15' })).thoughts ?? [];
    expect(thought).toMatchObject({ thought_id: june, valid_from: '2025-06-01T00:00:00Z' });
    expect(thought?.['created_at']).toContain('2026-03-02');
    expect(await found(bob, at)).toEqual(set(year, june, since, until, always));
  });

  test('pages and the cursor go with it', async () => {
    const valid_at = '2025-06-15';
    const first = await bob.ok('recall', { ...at, valid_at, limit: 2 });
    expect(first).toMatchObject({ count: 2, total: 3 });
    const rest = await bob.recall({ ...at, valid_at, limit: 2, cursor: first.cursor });
    const ids = [...(first.thoughts ?? []).map(({ thought_id }) => thought_id), ...rest];
    expect(set(...ids)).toEqual(set(year, june, always));
    for (const other of [{}, { valid_at: '2025-06-16' }, { valid_at, known_at: valid_at }]) {
      expect(await carol.refused('recall', { ...at, ...other, limit: 2, cursor: first.cursor })).toMatchObject({
        field: 'cursor',
      });
    }
  });

  test('get_thought opens what was true then, and tells nothing else from what is not there', async () => {
    const opened = await bob.thought('get_thought', { ...at, thought_id: june, valid_at: '2025-06-01' });
    expect(opened).toMatchObject({ content: 'tariff of June', valid_to: '2025-07-01T00:00:00Z' });
    const refusal = await bob.refused('get_thought', { ...at, thought_id: june, valid_at: '2025-07-01' });
    expect(refusal).toMatchObject({ code: 'not_found', field: 'valid_at' });
  });

  test('it narrows the own drafts too', async () => {
    const draft = await bob.save({ ...at, content: 'a draft', valid_from: '2025-06-01' });
    const own = { ...at, mode: 'authoring' };
    expect(await found(bob, { ...own, valid_at: '2025-06-01' })).toEqual([draft]);
    expect(await found(bob, { ...own, valid_at: '2025-05-31' })).toEqual([]);
  });
});

describe('known_at', () => {
  const at = { trail_name: 'acme/beliefs' };

  test('a correction with late knowledge: what we believed on Tuesday about June is not what we believe now', async () => {
    const june = { valid_from: '2025-06-01', valid_to: '2025-07-01' };
    const first = await approved({ ...at, content: 'In June the plant used coal', ...june });
    const tuesday = moment();
    const second = await corrected(at.trail_name, first, { content: 'In June the plant used gas', ...june });
    const wednesday = moment();
    const about = { ...at, query: 'plant', valid_at: '2025-06-15' };
    expect(await found(carol, about)).toEqual([second]);
    expect(await found(carol, { ...about, known_at: tuesday })).toEqual([first]);
    expect(await found(carol, { ...about, known_at: wednesday })).toEqual([second]);
    expect(await found(carol, { ...about, known_at: tuesday, valid_at: '2025-07-15' })).toEqual([]);
    const then = await carol.ok('recall', { ...about, known_at: tuesday });
    expect(then).toMatchObject({
      total: 1,
      thoughts: [{ validation_status: 'approved', present_status: 'superseded' }],
    });
    expect(then.thoughts?.[0]).not.toHaveProperty('superseded_by');
    const opened = { ...at, thought_id: first, known_at: tuesday };
    expect(await carol.thought('get_thought', opened)).toMatchObject({ content: 'In June the plant used coal' });
    expect(await carol.refused('get_thought', { ...at, thought_id: second, known_at: tuesday })).toMatchObject({
      code: 'not_found',
    });
  });

  test('each status is replayed as it was, to the millisecond', async () => {
    const scope = { trail_name: 'acme/replay' };
    const before = moment(1);
    const kept = await alice.save({ ...scope, content: 'kept' });
    const refused = await alice.save({ ...scope, content: 'refused' });
    const saved = moment(1);
    await alice.ok('propose_truth', { ...scope, thought_id: kept });
    await alice.ok('propose_truth', { ...scope, thought_id: refused });
    const proposed = moment(1);
    await approve(scope.trail_name, kept);
    const approvedAt = moment(1);
    await carol.session.operations().decide({ ...scope, thought_id: refused, verdict: 'reject', reason: 'No' });
    const rejectedAt = moment(1);
    const next = await corrected(scope.trail_name, kept, { content: 'next' });
    const superseded = moment(1);
    await carol.ok('forget', { ...scope, thought_id: next, reason: 'Wrong' });
    const withdrawn = moment(1);

    async function standing(known_at: string) {
      const args = { ...scope, known_at, mode: 'history', include_superseded: true };
      const { thoughts = [] } = await carol.ok('recall', args);
      const status = Object.fromEntries(thoughts.map((thought) => [thought.thought_id, thought.validation_status]));
      return { status, current: await found(carol, { ...scope, known_at }) };
    }
    expect(await standing(before)).toEqual({ status: {}, current: [] });
    expect(await standing(saved)).toEqual({ status: { [kept]: 'draft', [refused]: 'draft' }, current: [] });
    expect(await standing(proposed)).toEqual({ status: { [kept]: 'proposed', [refused]: 'proposed' }, current: [] });
    expect(await standing(approvedAt)).toEqual({
      status: { [kept]: 'approved', [refused]: 'proposed' },
      current: [kept],
    });
    expect(await standing(rejectedAt)).toEqual({
      status: { [kept]: 'approved', [refused]: 'rejected' },
      current: [kept],
    });
    expect(await standing(superseded)).toEqual({
      status: { [kept]: 'approved', [refused]: 'rejected', [next]: 'approved' },
      current: [next],
    });
    expect(await standing(withdrawn)).toEqual({
      status: { [kept]: 'approved', [refused]: 'rejected', [next]: 'tombstoned' },
      current: [],
    });
    // Without include_superseded history leaves out what was replaced, as of then.
    const args = { ...scope, mode: 'history' };
    expect(await found(carol, { ...args, known_at: rejectedAt })).toEqual(set(kept, refused));
    expect(await found(carol, { ...args, known_at: superseded })).toEqual(set(refused, next));
  });

  test('an edit is read as it stood, and pages of an earlier time do not change under the reader', async () => {
    const scope = { trail_name: 'acme/edits' };
    const edited = await alice.save({ ...scope, content: 'first wording' });
    await alice.save({ ...scope, content: 'beside it' });
    const then = moment();
    await alice.ok('update_thought', { ...scope, thought_id: edited, content: 'second wording' });
    moment();
    const asked = { ...scope, mode: 'history', known_at: then };
    expect(await found(carol, { ...asked, query: 'second' })).toEqual([]);
    expect(await found(carol, { ...asked, query: 'first wording' })).toEqual([edited]);
    const page = await carol.ok('recall', { ...asked, limit: 1 });
    await approved({ ...scope, content: 'of today' });
    const rest = await carol.ok('recall', { ...asked, limit: 1, cursor: page.cursor });
    expect([page.total, rest.total, rest.notes, rest.cursor]).toEqual([2, 2, undefined, undefined]);
  });

  test('what came late is known from its arrival, in its own scope, whatever it is about', async () => {
    const [here, there] = [{ trail_name: 'acme/here' }, { trail_name: 'acme/there' }];
    const first = await approved({ ...here, content: 'flood report', valid_from: '2024-02-01' });
    const before = moment();
    const late = await approved({ ...there, content: 'flood report, late', valid_from: '2024-01-01' });
    const after = moment();
    const about = { query: 'flood', valid_at: '2024-06-01' };
    expect(await found(carol, { ...there, ...about, known_at: before })).toEqual([]);
    expect(await found(carol, { ...there, ...about, known_at: after })).toEqual([late]);
    expect(await found(carol, { ...here, ...about, known_at: after })).toEqual([first]);
    expect(await found(carol, { trail_names: ['acme/*'], ...here, ...about, known_at: before })).toEqual([first]);
    expect(await found(carol, { trail_names: ['acme/*'], ...here, ...about, known_at: after })).toEqual(
      set(first, late),
    );
  });

  test('an event that is dated back counts from the events it followed', async () => {
    const scope = { trail_name: 'acme/skew' };
    const first = await approved({ ...scope, content: 'on time' });
    const known_at = moment(3_600_000);
    const second = await approved({ ...scope, content: 'an hour later' });
    now -= 5_400_000;
    const backdated = await approved({ ...scope, content: 'by a clock that is behind' });
    now += 5_400_000;
    expect(await found(carol, { ...scope, known_at })).toEqual([first]);
    expect(await found(carol, { ...scope, known_at: moment() })).toEqual(set(first, second, backdated));
  });

  test('what no signed event says has no time: an edit by hand is not in it', async () => {
    const scope = { trail_name: 'acme/hand' };
    const edited = await approved({ ...scope, content: 'as signed' });
    const path = `trails/acme/hand/thoughts/observations/${edited}.md`;
    commitFile(t.root, path, '---\nthought_id: x\n---\nby hand\n');
    const known_at = moment();
    const then = await carol.ok('recall', { ...scope, known_at, full: true });
    expect(then.thoughts).toMatchObject([{ content: 'as signed', present_status: 'absent' }]);
    expect(await found(carol, scope)).toEqual([]);
  });
});

describe('who may ask', () => {
  const at = { trail_name: 'acme/open' };
  const settings = 'trails/acme/open/.fava-trails.yaml';

  test('an agent is refused and the refusal recorded; an operator is answered', async () => {
    const scope = { trail_name: 'acme/closed' };
    const thought_id = await approved({ ...scope, content: 'closed' });
    const known_at = moment();
    for (const [tool, args] of [
      ['recall', scope],
      ['get_thought', { ...scope, thought_id }],
    ] as const) {
      const refusal = await alice.refused(tool, { ...args, known_at });
      expect(refusal).toMatchObject({ code: 'authority', field: 'known_at', rule: 'known_at_needs_operator' });
      await carol.ok(tool, { ...args, known_at });
    }
    await recorded(() => denialsOf(t.root).map(({ rule }) => rule)).toContain('known_at_needs_operator');
  });

  test('where the settings open it, an agent sees what was approved then and stands now, with its present status', async () => {
    const draft = await alice.save({ ...at, content: 'signal, a draft' });
    const kept = await approved({ ...at, content: 'signal kept' });
    const replaced = await approved({ ...at, content: 'signal replaced' });
    const withdrawn = await approved({ ...at, content: 'signal withdrawn' });
    const known_at = moment();
    const successor = await corrected(at.trail_name, replaced, { content: 'signal of today' });
    await carol.ok('forget', { ...at, thought_id: withdrawn, reason: 'Wrong' });
    moment();
    const text = 'name: acme/open\nknown_at: open\n';
    await acceptFile({ root: t.root, operations: carol.session.operations() }, settings, text);
    moment();
    for (const query of [undefined, 'signal']) {
      const then = await bob.ok('recall', { ...at, query, known_at });
      expect(then.total).toBe(2);
      const status = (then.thoughts ?? []).map((thought) => [thought.thought_id, thought['present_status']]);
      expect(Object.fromEntries(status)).toEqual({ [kept]: 'approved', [replaced]: 'superseded' });
      expect(JSON.stringify(then)).not.toContain(withdrawn);
    }
    expect(await found(carol, { ...at, query: 'signal', known_at })).toEqual(set(kept, replaced, withdrawn));
    expect(await found(bob, { ...at, known_at: new Date(now).toISOString() })).toEqual(set(kept, successor));
    // The author's own drafts are for the authoring view, of today.
    expect(await found(alice, { ...at, known_at })).toEqual(set(kept, replaced));
    expect(await alice.refused('recall', { ...at, known_at, mode: 'authoring' })).toMatchObject({ field: 'known_at' });
    expect(await found(carol, { ...at, known_at, mode: 'history', query: 'draft' })).toEqual([draft]);

    expect(await bob.thought('get_thought', { ...at, thought_id: replaced, known_at })).toMatchObject({
      content: 'signal replaced',
      present_status: 'superseded',
    });
    const gone = await bob.refused('get_thought', { ...at, thought_id: withdrawn, known_at });
    const never = await bob.refused('get_thought', { ...at, thought_id: '01ARZ3NDEKTSV4RRFFQ69G5FAV', known_at });
    expect(gone).toEqual(never);
    expect(await carol.thought('get_thought', { ...at, thought_id: withdrawn, known_at })).toMatchObject({
      content: 'signal withdrawn',
      present_status: 'tombstoned',
    });
    for (const more of [['acme/**'], ['acme/closed']]) {
      const refusal = await bob.refused('recall', { ...at, trail_names: more, known_at });
      expect(refusal).toMatchObject({ code: 'authority', field: 'known_at' });
    }
  });

  test('the settings of today decide, and a child cannot open what its parent closed', async () => {
    const operations = carol.session.operations();
    const known_at = moment();
    await bob.ok('recall', { ...at, known_at });
    await acceptFile({ root: t.root, operations }, 'trails/acme/.fava-trails.yaml', 'name: acme\nknown_at: closed\n');
    moment();
    expect(await bob.refused('recall', { ...at, known_at })).toMatchObject({ code: 'authority' });
    await acceptFile({ root: t.root, operations }, 'trails/acme/.fava-trails.yaml', 'name: acme\nknown_at: open\n');
    moment();
    await bob.ok('recall', { trail_name: 'acme/tariff', known_at });
  });
});

describe('dates that come in', () => {
  const at = { trail_name: 'acme/dates' };

  test('a malformed date is refused on every tool before anything is looked up', async () => {
    const thought_id = await approved({ ...at, content: 'target' });
    const calls: readonly (readonly [string, Arguments, readonly string[]])[] = [
      ['save_thought', { ...at, content: 'x' }, ['valid_from', 'valid_to', 'review_by']],
      ['supersede', { ...at, thought_id, content: 'x', reason: 'x' }, ['valid_from', 'valid_to', 'review_by']],
      ['recall', at, ['valid_at', 'known_at']],
      ['get_thought', { ...at, thought_id }, ['valid_at', 'known_at']],
    ];
    for (const [tool, args, fields] of calls) {
      for (const field of fields) {
        for (const date of ['NaN', '2026-02-30', 'last week', '']) {
          const refusal = await carol.refused(tool, { ...args, [field]: date });
          expect(refusal).toMatchObject({ code: 'invalid', field });
          expect(refusal.next).toContain('2026-11-30');
        }
      }
    }
    expect(await found(carol, at)).toEqual([thought_id]);
    const reversed = { ...at, content: 'x', valid_from: '2026-01-01', valid_to: '2026-01-01' };
    expect(await alice.refused('save_thought', reversed)).toMatchObject({ code: 'invalid', field: 'valid_to' });
    const future = new Date(now + 1).toISOString();
    expect(await carol.refused('recall', { ...at, known_at: future })).toMatchObject({ field: 'known_at' });
    expect(await found(carol, { ...at, known_at: new Date(now).toISOString() })).toEqual([thought_id]);
    expect(await found(carol, { ...at, known_at: '1999-01-01' })).toEqual([]);
  });

  test('extra does not take them past the check', async () => {
    for (const key of ['valid_from', 'valid_to', 'review_by']) {
      const metadata = { extra: { [key]: '2026-01-01' } };
      const refusal = await alice.refused('save_thought', { ...at, content: 'x', metadata });
      expect(refusal).toMatchObject({ code: 'authority', rule: 'owned_extra_key' });
      expect(refusal.next).toContain(`"${key}"`);
    }
  });

  test('a new text says its dates anew, and another scope keeps them', async () => {
    const dates = { valid_from: '2025-01-01T00:00:00Z', review_by: '2027-01-01T00:00:00Z' };
    const thought_id = await approved({ ...at, content: 'dated', ...dates });
    const moved = await alice.thought('change_scope', {
      ...at,
      thought_id,
      content: 'dated',
      reason: 'Belongs there',
      target_trail_name: 'acme/moved',
    });
    expect(moved).toMatchObject(dates);
    const anew = { ...at, thought_id, content: 'dated anew', reason: 'Since then', valid_from: '2026-01-01' };
    const next = await alice.thought('supersede', anew);
    expect(next).toMatchObject({ valid_from: '2026-01-01T00:00:00Z' });
    expect(next).not.toHaveProperty('review_by');
  });

  test('what is due or lapsed is marked and stays in the record', async () => {
    const scope = { trail_name: 'acme/due' };
    const due = await approved({ ...scope, content: 'to be reviewed', review_by: new Date(now).toISOString() });
    const lapsed = await approved({ ...scope, content: 'lapsed', valid_to: '2026-01-01' });
    const fine = await approved({ ...scope, content: 'fine', review_by: '2100-01-01', valid_to: '2100-01-01' });
    const { thoughts = [] } = await bob.ok('recall', scope);
    const marks = thoughts.map((thought) => [thought.thought_id, thought['due'] ?? null, thought['lapsed'] ?? null]);
    expect(marks.sort()).toEqual(
      [
        [due, true, null],
        [lapsed, null, true],
        [fine, null, null],
      ].sort(),
    );
    expect(await bob.thought('get_thought', { ...scope, thought_id: lapsed })).toMatchObject({ lapsed: true });
    expect(await found(bob, { ...scope, valid_at: new Date(now).toISOString() })).toEqual(set(due, fine));
  });
});

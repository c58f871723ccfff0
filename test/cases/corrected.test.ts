/** A value that was corrected is on no surface that reads: the negatives beside their controls, in one record (marks.md 1.7). */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { collectEvidence } from '../../src/trail/evidence/evidence.ts';
import { ownRecords } from '../../src/trail/own-records.ts';
import { makeRecord, value } from '../support/record.ts';
import { type Caller, connect } from './caller.ts';

const SCOPE = { trail_name: 'acme/plant' };
/** In every text, so that one question reaches all. */
const WORD = 'boiler';

interface Corrected {
  readonly id: string;
  readonly text: string;
}

async function setUp() {
  const t = await makeRecord();
  const [alice, mallory, third, carol] = await Promise.all([
    connect(t.session('alice')),
    connect(t.session('mallory')),
    connect(t.session('third')),
    connect(t.session('carol', { operator: true })),
  ]);
  const people = carol.session.operations();
  const save = async (text: string, { by = alice, ...rest }: { by?: Caller } & Record<string, unknown> = {}) => {
    const id = await by.save({ ...SCOPE, content: text, source_type: 'decision', ...rest });
    return { id, text };
  };
  const decided = async (thought: Corrected, verdict: 'approve' | 'reject' = 'approve') => {
    const reason = verdict === 'reject' ? { reason: 'Nobody measured it' } : {};
    value(await people.decide({ ...SCOPE, thought_id: thought.id, verdict, ...reason }));
    return thought;
  };
  const current = await decided(await save(`The ${WORD} runs on gas`));
  const rejected = await decided(await save(`The ${WORD} runs on rumour`), 'reject');
  const superseded = await decided(await save(`The ${WORD} stands in hall one`));
  const moved = {
    ...SCOPE,
    thought_id: superseded.id,
    content: `The ${WORD} stands in hall two`,
    reason: 'It was moved',
  };
  const replacement = { id: (await alice.thought('supersede', moved)).thought_id, text: moved.content };
  await decided(replacement);
  const lapsed = await decided(
    await save(`The ${WORD} burned oil`, {
      source_type: 'observation',
      valid_from: '2024-01-01',
      valid_to: '2025-01-01',
    }),
  );
  const quarantined = await decided(await save(`The ${WORD} needs no valve`, { by: mallory }));
  value(await people.quarantine({ agent_id: 'mallory', since: '2000-01-01', reason: 'Taken over' }));
  const erased = await decided(await save(`The ${WORD} is kept by Jane Roe`));
  value(await people.erase({ thought_id: erased.id, reason: 'She asked for it' }));
  return {
    record: t.record,
    third,
    carol,
    live: [current, replacement],
    withheld: { rejected, quarantined, erased },
    superseded,
    lapsed,
    [Symbol.asyncDispose]: () => t[Symbol.asyncDispose](),
  };
}

let s: Awaited<ReturnType<typeof setUp>>;

beforeAll(async () => {
  s = await setUp();
});

afterAll(() => s[Symbol.asyncDispose]());

type Ask = (thought: Corrected) => Promise<unknown>;

/** Every way to read, the lists first. `asked` is what is asked for by id or in words. */
function surfaces(reader: Caller): Readonly<Record<'list' | 'one', Readonly<Record<string, Ask>>>> {
  const raw = (tool: string, args: object) => reader.raw(tool, { ...SCOPE, ...args });
  return {
    list: {
      'recall, newest': () => raw('recall', {}),
      'recall, the shared word': () => raw('recall', { query: WORD, full: true }),
      // Not all of them: an answer repeats the question.
      'recall, its own words': ({ text }) => raw('recall', { query: text.slice(-9), include_relationships: true }),
      'recall, every scope': () => raw('recall', { trail_names: ['**'], query: WORD }),
      'recall, authoring': () => raw('recall', { mode: 'authoring', query: WORD }),
      'recall, history': () => raw('recall', { mode: 'history', query: WORD }),
      'session start': () => raw('recall', { order: 'session' }),
      diff: () => raw('diff', { revision: '2000-01-01T00:00:00Z' }),
    },
    one: {
      get: ({ id }) => raw('get_thought', { thought_id: id }),
      'get, governed': ({ id }) => raw('get_thought', { thought_id: id, mode: 'governed' }),
      'get, authoring': ({ id }) => raw('get_thought', { thought_id: id, mode: 'authoring' }),
      'get, history': ({ id }) => raw('get_thought', { thought_id: id, mode: 'history' }),
      trace: ({ id }) => reader.raw('trace', { record_hash: id }),
      summarize: ({ id }) => reader.raw('summarize', { from: id }),
      evidence: async ({ id }) => {
        const made = await collectEvidence(await reader.session.context(), { id, verifier: new Uint8Array() });
        return made.ok ? [...made.value.files.values()].map((bytes) => Buffer.from(bytes).toString('utf8')) : made;
      },
    },
  };
}

/** Names of the surfaces that say the words of this thought. */
async function saying(asks: Readonly<Record<string, Ask>>, thought: Corrected): Promise<readonly string[]> {
  const said: string[] = [];
  for (const [name, ask] of Object.entries(asks)) {
    if (JSON.stringify(await ask(thought)).includes(thought.text)) said.push(name);
  }
  return said;
}

test('what was rejected, quarantined or erased is nowhere, what was replaced is marked, what is current is found', async () => {
  const { list, one } = surfaces(s.third);
  const openLists = Object.keys(list).filter((name) => !/authoring|history|diff/.test(name));
  const openOnes = Object.keys(one).filter((name) => !/authoring|history/.test(name));
  for (const current of s.live) {
    expect(await saying(list, current), current.text).toEqual(openLists);
    expect(await saying(one, current), current.text).toEqual(openOnes);
  }
  for (const [how, thought] of Object.entries(s.withheld)) {
    expect(await saying({ ...list, ...one }, thought), how).toEqual([]);
  }
  expect(await saying(list, s.superseded)).toEqual([]);
  const { superseded_by } = await s.third.thought('get_thought', { ...SCOPE, thought_id: s.superseded.id });
  expect(superseded_by).toBe(s.live[1]?.id);

  const counted = await s.third.ok('list_scopes', { include_stats: true });
  expect(counted.scopes).toEqual([{ path: SCOPE.trail_name, thought_count: 3 }]);
  const { total } = await s.third.ok('recall', { ...SCOPE, query: WORD });
  expect(total).toBe(3);

  // They are withheld, not lost: an operator's history has all but the erased text.
  const { quarantined, rejected, erased } = s.withheld;
  const all = { ...SCOPE, mode: 'history', include_superseded: true, query: WORD, full: true };
  const kept = JSON.stringify(await s.carol.raw('recall', all));
  const isThere = [quarantined, rejected, s.superseded, erased].map(({ text }) => kept.includes(text));
  expect(isThere).toEqual([true, true, true, false]);

  // What goes to atrib's tools is an author's own, without what was erased.
  let mirrored = '';
  for await (const { line } of ownRecords(s.record, { agentId: 'alice', withContent: true })) mirrored += line;
  expect([mirrored.includes(s.live[0]?.text ?? 'none'), mirrored.includes(erased.text)]).toEqual([true, false]);
});

test('what is out of validity is in no answer about another time, and in every one about its own', async () => {
  const expectAt = async (valid_at: string, expected: readonly string[]) => {
    const when = { ...SCOPE, valid_at };
    const texts = (await s.third.ok('recall', { ...when, query: WORD })).thoughts?.map(
      (found) => found.content_preview,
    );
    expect(texts?.sort()).toEqual([...expected].sort());
    const got = await s.third.raw('get_thought', { ...when, thought_id: s.lapsed.id });
    expect(JSON.stringify(got).includes(s.lapsed.text)).toBe(expected.includes(s.lapsed.text));
  };
  const live = s.live.map(({ text }) => text);
  await expectAt('2024-06-01', [...live, s.lapsed.text]);
  await expectAt('2026-06-01', live);
});

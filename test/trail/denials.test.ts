import { join } from 'node:path';
import { expect, test } from 'vitest';
import { denialsOf, eventsOf, recorded } from '../cases/evidence.ts';
import { holdLock } from '../support/hold-lock.ts';
import { makeRecord } from '../support/record.ts';

const SCOPE = { trail_name: 'acme/api' };
/** A well-formed id that names nothing; each is a target of its own. */
const idAt = (n: number) => String(n).padStart(26, '0');
const approval = (n: number) => ({ ...SCOPE, thought_id: idAt(n), approval: 'human' as const });

test('the first denial is on disk before an answer that does not say not_recorded, repeats become one counted event', async () => {
  await using t = await makeRecord();
  const session = t.session('alice');
  const { propose } = session.operations();
  const refusal = await propose(approval(1));
  const before = denialsOf(t.root);
  expect(refusal).toMatchObject({ ok: false, rule: 'needs_operator' });
  expect(before).toHaveLength(isNotRecorded(refusal) ? 0 : 1);
  const first = { agent_id: 'alice', verb: 'propose', rule: 'needs_operator', count: 1 };
  await recorded(() => denialsOf(t.root)).toEqual([first]);
  for (let n = 0; n < 7; n++) expect(await propose(approval(1))).not.toHaveProperty('details');
  expect(denialsOf(t.root)).toEqual([first]);
  await session.close();
  expect(denialsOf(t.root)).toEqual([first, { ...first, count: 7 }]);
  await session.close();
  expect(denialsOf(t.root)).toHaveLength(2);
  // The counted repeats are written, so the next denial is a first one again.
  await propose(approval(1));
  await recorded(() => denialsOf(t.root)).toEqual([first, { ...first, count: 7 }, first]);
});

test('another caller, verb, rule or target is another denial; the target is kept, what was refused is not', async () => {
  await using t = await makeRecord();
  const alice = t.session('alice').operations();
  await alice.propose(approval(1));
  await alice.propose(approval(2));
  await t.session('bob').operations().propose(approval(1));
  await alice.decide({ ...SCOPE, thought_id: idAt(1), verdict: 'reject', reason: 'refused-words' });
  await alice.save({ ...SCOPE, content: 'refused-words', agent_id: 'bob' });
  await alice.save({ trail_name: 'not a scope', content: 'refused-words', agent_id: 'bob' });
  await alice.recall({ ...SCOPE, query: 'refused-words', mode: 'history' });
  await recorded(() => denialsOf(t.root)).toHaveLength(7);
  const said = eventsOf(t.root).flatMap(({ record, _local: local }) => {
    if (local?.denial === undefined) return [];
    expect(record.event_type).toBe('urn:waymark:event:deny');
    expect(local.files).toBeUndefined();
    const { verb, rule } = local.denial;
    return [[local.agent_id, verb, rule, local.scope, local.thought_id]];
  });
  expect(said.sort()).toEqual(
    [
      ['alice', 'propose', 'needs_operator', 'acme/api', idAt(1)],
      ['alice', 'propose', 'needs_operator', 'acme/api', idAt(2)],
      ['bob', 'propose', 'needs_operator', 'acme/api', idAt(1)],
      ['alice', 'decide', 'needs_operator', 'acme/api', idAt(1)],
      ['alice', 'save', 'agent_id_mismatch', 'acme/api', undefined],
      ['alice', 'save', 'agent_id_mismatch', undefined, undefined],
      ['alice', 'recall', 'history_needs_operator', 'acme/api', undefined],
    ].sort(),
  );
  expect(JSON.stringify(eventsOf(t.root))).not.toMatch(/refused-words|not a scope/);
});

test('malformed input and what is not found leave no event', async () => {
  await using t = await makeRecord();
  const alice = t.session('alice').operations();
  expect(await alice.save({ trail_name: '..', content: 'x' })).toMatchObject({ code: 'invalid' });
  expect(await alice.get({ ...SCOPE, thought_id: idAt(1) })).toMatchObject({ code: 'not_found' });
  expect(await alice.update({ ...SCOPE, thought_id: idAt(1), content: 'x' })).toMatchObject({ code: 'not_found' });
  expect(await alice.recall({ ...SCOPE, limit: 0 })).toMatchObject({ code: 'invalid' });
  expect(eventsOf(t.root).map(({ _local: local }) => local?.verb)).toEqual(['init', 'enrol']);
  expect(await alice.recall({ ...SCOPE, mode: 'history' })).toMatchObject({ code: 'authority' });
  await recorded(() => eventsOf(t.root).map(({ _local: local }) => local?.verb)).toEqual(['init', 'enrol', 'deny']);
});

test('one caller has at most 600 denial events an hour, repeats included; the refusal stands and says not_recorded', async () => {
  let now = Date.now();
  await using t = await makeRecord({ now: () => now });
  const alice = t.session('alice');
  const { propose } = alice.operations();
  const flood = (from: number, to: number) =>
    Promise.all(Array.from({ length: to - from }, (_, n) => propose(approval(from + n))));
  for (let n = 0; n < 500; n += 100) await flood(n, n + 100);
  // Each of these is repeated, which takes a place too.
  await flood(0, 60);
  await flood(0, 60);
  await flood(500, 540);
  const over = await flood(540, 560);
  for (const refusal of over) {
    expect(refusal).toMatchObject({ ok: false, code: 'authority', details: { not_recorded: true } });
  }
  // A counted repeat is still counted, a first repeat has no place left.
  expect(isNotRecorded(await propose(approval(0)))).toBe(false);
  expect(isNotRecorded(await propose(approval(100)))).toBe(true);
  await alice.close();
  expect(denialsOf(t.root)).toHaveLength(600);
  expect(denialsOf(t.root).reduce((sum, { count }) => sum + (count ?? 0), 0)).toBe(500 + 121 + 40);
  await t.session('bob').operations().propose(approval(1));
  await recorded(() => denialsOf(t.root)).toHaveLength(601);
  now += 3_600_001;
  await propose(approval(900));
  await recorded(() => denialsOf(t.root)).toHaveLength(602);
});

test('while another process holds the lock the refusal says not_recorded, and the denial is written afterwards', async () => {
  await using t = await makeRecord();
  const alice = t.session('alice');
  const { propose, recall } = alice.operations();
  await using holder = await holdLock(join(t.root, '.waymark', 'lock.sqlite'));
  const refusal = await propose(approval(1));
  expect(refusal).toMatchObject({
    ok: false,
    code: 'authority',
    rule: 'needs_operator',
    details: { not_recorded: true },
  });
  expect(denialsOf(t.root)).toEqual([]);
  // Reading takes no lock.
  expect(await recall(SCOPE)).toMatchObject({ ok: true, value: { count: 0 } });
  await holder[Symbol.asyncDispose]();
  await alice.close();
  expect(denialsOf(t.root)).toEqual([{ agent_id: 'alice', verb: 'propose', rule: 'needs_operator', count: 1 }]);
  await propose(approval(2));
  await recorded(() => denialsOf(t.root)).toHaveLength(2);
});

function isNotRecorded(outcome: object): boolean {
  return 'details' in outcome && JSON.stringify(outcome.details).includes('not_recorded');
}

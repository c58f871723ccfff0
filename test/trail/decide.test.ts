/** One decision for all doors: bound to the claim, with a reason, a person's and never a model's. */
import { expect, test } from 'vitest';
import type { Verb } from '../../src/ledger/types.ts';
import { GATE_AGENT_ID } from '../../src/record/principal.ts';
import { GROUNDS } from '../../src/record/thought.ts';
import type { SessionOperations } from '../../src/trail/session.ts';
import { operators } from '../support/operators.ts';
import { makeRecord, type TestRecord, value } from '../support/record.ts';
import { enrolledWriter, signEvent } from '../support/sign-event.ts';

const trail_name = 'acme/eng';

async function propose(operations: SessionOperations, content: string): Promise<string> {
  const { thought_id } = value(await operations.save({ trail_name, content })).thought;
  value(await operations.propose({ trail_name, thought_id }));
  return thought_id;
}

function eventsOf(t: TestRecord, verb: Verb) {
  return t.record.repository.index.reader().validEventsOf(verb);
}

test('a rejection keeps its grounds beside the reason, in the file and in the event', async () => {
  await using t = await makeRecord();
  const alice = t.session('alice').operations();
  const carol = t.session('carol', { operator: true }).operations();
  for (const grounds of [undefined, ...GROUNDS]) {
    const thought_id = await propose(alice, `Because ${grounds}`);
    // What is kept out is for the tombstones' tests.
    const verdict = { trail_name, thought_id, verdict: 'reject', reason: 'Why', grounds, keep_out: false } as const;
    expect(value(await carol.decide(verdict)).status).toBe('rejected');
    const { thought } = value(await alice.get({ trail_name, thought_id, mode: 'authoring' }));
    expect(thought.metadata?.extra?.['trust_gate']).toEqual({
      reviewer: 'human:carol',
      reviewed_at: expect.any(String),
      verdict: 'reject',
      reasoning: 'Why',
      kind: 'human',
      ...(grounds === undefined ? {} : { grounds }),
    });
    const local = eventsOf(t, 'reject').at(-1)?.envelope._local;
    expect(local).toMatchObject({ thought_id, kind: 'human', reason: 'Why' });
    expect(local?.grounds).toBe(grounds);
  }
});

test('a reason is required but to approve; grounds and keeping out belong to a rejection', async () => {
  await using t = await makeRecord();
  const carol = t.session('carol', { operator: true }).operations();
  const thought_id = await propose(t.session('alice').operations(), 'Text');
  const about = { trail_name, thought_id } as const;
  for (const verdict of ['reject', 'request_changes'] as const) {
    for (const reason of [undefined, '', ' \n']) {
      const refused = await carol.decide({ ...about, verdict, reason });
      expect(refused).toMatchObject({ ok: false, code: 'invalid', field: 'reason' });
    }
  }
  for (const verdict of ['approve', 'request_changes'] as const) {
    const grounds = await carol.decide({ ...about, verdict, reason: 'r', grounds: 'false' });
    expect(grounds).toMatchObject({ ok: false, code: 'invalid', field: 'grounds' });
    const kept = await carol.decide({ ...about, verdict, reason: 'r', keep_out: true });
    expect(kept).toMatchObject({ ok: false, code: 'invalid', field: 'keep_out' });
  }
  expect(value(await carol.decide({ ...about, verdict: 'approve' })).status).toBe('ok');
});

test('late answers count once: of two people who decide at the same time the first does', async () => {
  await using t = await makeRecord();
  const { carol, dave } = await operators(t, ['carol', 'dave']);
  const thought_id = await propose(t.session('alice').operations(), 'Text');
  const about = { trail_name, thought_id } as const;
  const [one, other] = await Promise.all([
    carol.operations().decide({ ...about, verdict: 'approve' }),
    dave.operations().decide({ ...about, verdict: 'approve' }),
  ]);
  expect([value(one).status, value(other).status]).toEqual(['ok', 'ok']);
  expect(eventsOf(t, 'approve')).toHaveLength(1);
  const late = await dave.operations().decide({ ...about, verdict: 'reject', reason: 'No' });
  expect(late).toMatchObject({ ok: false, code: 'conflict', rule: 'already_decided' });
  expect(eventsOf(t, 'reject')).toEqual([]);
});

test('what a person decided and what a model said are told apart by kind, role and key in every event', async () => {
  await using t = await makeRecord();
  const carol = t.session('carol', { operator: true });
  const alice = t.session('alice').operations();
  const decided = { approve: 'Good', reject: 'Bad', request_changes: 'Vague' } as const;
  for (const verdict of ['approve', 'reject', 'request_changes'] as const) {
    const thought_id = await propose(alice, decided[verdict]);
    value(await carol.operations().decide({ trail_name, thought_id, verdict, reason: 'r' }));
  }
  const gate = await enrolledWriter(t, { agent_id: GATE_AGENT_ID, role: 'reviewer' });
  const advice = { verb: 'advise', informed_by: [], files: [] } as const;
  await signEvent(t, gate, { ...advice, local: { scope: trail_name, kind: 'llm_advisory' } });
  // A model's key cannot say that a person spoke: its event would not count, so it is not written.
  const asPerson = signEvent(t, gate, { ...advice, local: { scope: trail_name, kind: 'human' } });
  await expect(asPerson).rejects.toThrow('wrong_role');

  const reader = t.record.repository.index.reader();
  const keys = new Map(reader.keys().map(({ key, role }) => [key, role]));
  const said = (['approve', 'reject', 'request_changes', 'advise'] as const).flatMap((verb) =>
    reader.validEventsOf(verb).map(({ envelope: { record, _local: local }, role }) => {
      return [verb, local?.kind, role, keys.get(record.creator_key)];
    }),
  );
  expect(said).toEqual([
    ...['approve', 'reject', 'request_changes'].map((verb) => [verb, 'human', 'operator', 'operator']),
    ['advise', 'llm_advisory', 'reviewer', 'reviewer'],
  ]);
});

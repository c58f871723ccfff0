/** A person's name: from git or from the enrolment, shown where an approval is. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { summaryLines } from '../../src/cli/render-thought.ts';
import { displayNameOf } from '../../src/record/display-name.ts';
import { enrolKey, listKeys, showKeys } from '../../src/trail/keys.ts';
import { eventsOf } from '../cases/evidence.ts';
import { makeRecord, value } from '../support/record.ts';

const SCOPE = { trail_name: 'a' };

test('an approval names its person as the enrolment does, in get, in a list, in trace and in the ledger', async () => {
  await using t = await makeRecord();
  writeFileSync(join(t.env['HOME'] ?? '', '.gitconfig'), '[user]\n\tname = Carol  Wéber \n');
  const alice = t.session('alice').operations();
  const carol = t.session('carol', { operator: true }).operations();
  const approve = async (by: typeof carol, content: string) => {
    const { thought_id } = value(await alice.save({ ...SCOPE, content })).thought;
    return value(await by.decide({ ...SCOPE, thought_id, verdict: 'approve' })).thought;
  };
  const first = await approve(carol, 'By the first operator');
  expect(first.metadata?.extra?.['approval']).toMatchObject({ actor: 'human:carol', name: 'Carol Wéber' });
  const { thought } = value(await alice.get({ ...SCOPE, thought_id: first.thought_id }));
  expect(summaryLines(thought)).toContain('  approved by Carol Wéber (human:carol)');
  const trace = value(await alice.trace({ record_hash: first.thought_id }));
  expect(JSON.stringify(trace)).toContain('"approved_by":"Carol Wéber (human:carol)"');

  const [own] = value(showKeys(t.record, 'dan'));
  const enrolment = { publicKey: own?.public_key ?? '', agentId: 'dan', role: 'operator' as const };
  for (const name of ['', ' Dan', 'Dan\u202e', 'D\nan', 'x'.repeat(65)]) {
    const refused = await enrolKey(t.record, { ...enrolment, name }, { person: 'carol' });
    expect(refused, name).toMatchObject({ ok: false, code: 'invalid', field: 'name' });
  }
  value(await enrolKey(t.record, { ...enrolment, name: 'Dan the Second' }, { person: 'carol' }));
  const second = await approve(t.session('dan', { operator: true }).operations(), 'By the second');
  expect(second.metadata?.extra?.['approval']).toMatchObject({ name: 'Dan the Second' });
  const names = listKeys(t.record).keys.map(({ agent_id, name }) => [agent_id, name]);
  expect(names).toEqual([
    ['owner', undefined],
    // Its recovery key.
    ['owner', undefined],
    ['alice', undefined],
    ['carol', 'Carol Wéber'],
    ['dan', 'Dan the Second'],
  ]);
  const enrolled = eventsOf(t.root).flatMap(({ _local: local }) => local?.enrolment?.name ?? []);
  expect(enrolled).toEqual(['Carol Wéber', 'Dan the Second']);
});

test('a record and an approval without a name are as they were', async () => {
  await using t = await makeRecord();
  const carol = t.session('carol', { operator: true }).operations();
  const { thought_id } = value(await carol.save({ ...SCOPE, content: 'x' })).thought;
  const { thought } = value(await carol.decide({ ...SCOPE, thought_id, verdict: 'approve' }));
  expect(thought.metadata?.extra?.['approval']).not.toHaveProperty('name');
  expect(summaryLines(thought)).toContain('  approved by human:carol');
});

test.each([
  ['Carol Weber', 'Carol Weber'],
  ['  Carol\n Weber ', 'Carol Weber'],
  ['Cafe\u0301', 'Café'],
  ['x'.repeat(70), 'x'.repeat(64)],
  ['', null],
  [' \t', null],
  ['Ca\u200brol', null],
  ['Carol\u202e', null],
  ['\u001b[31mCarol', null],
])('displayNameOf(%j) is %j', (text, name) => {
  expect(displayNameOf(text)).toBe(name);
});

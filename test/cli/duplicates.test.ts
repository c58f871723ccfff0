import { expect, test } from 'vitest';
import { makeRecord, type TestRecord, value } from '../support/record.ts';
import { json, waymark } from './support.ts';

async function approved(t: TestRecord, content: string): Promise<string> {
  const scope = { trail_name: 'acme/api' };
  const { thought_id } = value(
    await t
      .session('alice')
      .operations()
      .save({ ...scope, content }),
  ).thought;
  const carol = t.session('carol', { operator: true }).operations();
  value(await carol.decide({ ...scope, thought_id, verdict: 'approve' }));
  return thought_id;
}

test('duplicates lists pairs of a scope and settles one', async () => {
  await using t = await makeRecord();
  const as = (agentId: string) => ({ cwd: t.root, env: { ...t.env, WAYMARK_AGENT_ID: agentId } });
  const old = await approved(t, 'Charges are retried at most 3 times, and never without a key.');
  const newer = await approved(t, 'Charges are retried at most 5 times, and never without a key.');
  const listed = await waymark(['duplicates', '--scope', 'acme/*'], as('bob'));
  expect(listed.stdout).toContain('differ in numbers');
  expect(listed.stdout).toContain(old);
  expect((await waymark(['duplicates', '--scope', 'other', '--json'], as('bob'))).stdout).toContain('"count":0');
  expect((await waymark(['duplicates', old, '--keep', 'new'], as('carol'))).code).toBe(2);
  const settled = await waymark(
    ['duplicates', old, newer, '--keep', 'new', '--reason', 'Measured again', '--json'],
    as('carol'),
  );
  expect(json(settled)).toMatchObject({ status: 'ok', kept: [newer], retired: old });
  expect((await waymark(['duplicates', '--json'], as('bob'))).stdout).toContain('"count":0');
});

import { expect, test } from 'vitest';
import { makeRecord, type TestRecord, value } from '../support/record.ts';
import { json, onTerminal, waymark } from './support.ts';

const trail_name = 'a';

function as(t: TestRecord, agentId: string, more: Record<string, string> = {}) {
  return { cwd: t.root, env: { ...t.env, WAYMARK_AGENT_ID: agentId, ...more } };
}

/** A thought of alice, approved by carol. */
async function approved(t: TestRecord): Promise<string> {
  const alice = t.session('alice').operations();
  const { thought_id } = value(await alice.save({ trail_name, content: 'Decide me' })).thought;
  const carol = t.session('carol', { operator: true }).operations();
  value(await carol.decide({ trail_name, thought_id, verdict: 'approve' }));
  return thought_id;
}

function keyOf(t: TestRecord, role: string): string {
  return (
    t.record.repository.index
      .reader()
      .keys()
      .find((key) => key.role === role)?.key ?? ''
  );
}

test('key rotate hands over the key of an agent, of the operator and of the owner', async () => {
  await using t = await makeRecord();
  await approved(t);
  const [agent, operator, owner] = ['agent', 'operator', 'owner'].map((role) => keyOf(t, role));
  const runs = [
    await waymark(['key', 'rotate', '--agent', 'alice', '--json'], as(t, 'carol')),
    await waymark(['key', 'rotate', '--operator', '--json'], as(t, 'carol')),
    await waymark(['key', 'rotate', '--owner', '--json'], as(t, 'carol')),
  ];
  expect(runs.map(({ code }) => code)).toEqual([0, 0, 0]);
  const answers = runs.map(json);
  expect(answers).toMatchObject([
    { status: 'ok', kind: 'agent', agent_id: 'alice', old_key: agent },
    { status: 'ok', kind: 'operator', agent_id: 'carol', old_key: operator },
    { status: 'ok', kind: 'owner', agent_id: 'owner', old_key: owner },
  ]);
  const list = await waymark(['key', 'list'], as(t, 'carol'));
  expect(list.stdout.match(/revoked \(rotation\)/g)).toHaveLength(3);
  // Nobody else's: there is nothing of bob to hand over.
  expect((await waymark(['key', 'rotate'], as(t, 'bob'))).code).toBe(1);
  expect((await waymark(['key', 'rotate', '--operator', '--owner'], as(t, 'carol'))).code).toBe(2);
  expect((await waymark(['verify'], as(t, 'carol'))).code).toBe(0);
});

test('key revoke shows what stops counting, and asks before it does it', async () => {
  await using t = await makeRecord();
  const id = await approved(t);
  const key = keyOf(t, 'operator');
  const args = ['key', 'revoke', key, '--reason', 'compromise', '--size', '0'];
  const unasked = await waymark(args, as(t, 'carol'));
  expect(unasked.code).toBe(1);
  expect(unasked.stderr).toContain(`the approval of ${id}`);
  expect(unasked.stderr).toContain('--yes');
  const declined = await onTerminal(args, { ...as(t, 'carol'), answers: [['[y/N] ', 'n\n']] });
  expect(declined.code).toBe(1);
  const approval = t.record.repository.index.reader().validEventsOf('approve')[0]?.hash ?? '';
  expect(approval).not.toBe('');

  const wrong = await waymark(['key', 'revoke', key, '--reason', 'compromise', '--size', '9'], as(t, 'carol'));
  expect(wrong.code).toBe(2);
  const since = ['key', 'revoke', key, '--reason', 'compromise', '--since', approval, '--yes', '--json'];
  const done = await waymark(since, as(t, 'carol'));
  expect(done.code).toBe(0);
  expect(json(done)).toMatchObject({ public_key: key, stand: 0, voided: 1, approvals: [id] });
  expect((await waymark(['verify'], as(t, 'carol'))).code).toBe(1);
  const recall = await waymark(['recall', '--json'], as(t, 'reader'));
  expect(json(recall)).toMatchObject({ thoughts: [] });
  // Its holder is no operator any more, and is told so.
  const review = await waymark(['review', '--json'], as(t, 'carol'));
  expect(review.code).toBe(1);
  expect(review.stdout + review.stderr).toContain('was revoked');
});

test('of several ends of a key the earliest holds: a later one cannot give events back, and says so', async () => {
  await using t = await makeRecord();
  const alice = t.session('alice').operations();
  for (const content of ['One', 'Two', 'Three']) value(await alice.save({ trail_name, content }));
  await approved(t);
  const key = keyOf(t, 'agent');
  const revoke = (...size: readonly string[]) =>
    waymark(['key', 'revoke', key, '--reason', 'compromise', '--yes', ...size], as(t, 'carol'));
  expect(await revoke()).toMatchObject({ code: 0, stdout: expect.stringContaining('stand the first 4\n') });
  const fewer = await revoke('--size', '1');
  expect(fewer).toMatchObject({ code: 0, stdout: expect.stringContaining('stand the first 1\n') });
  // Nothing but drafts: no list is announced that does not follow.
  expect(fewer.stderr).toBe(
    'waymark: Events that stand: 1, that stop counting, with those of keys it enrolled: 3; they approved nothing\n',
  );
  const report = await waymark(['verify'], as(t, 'carol'));
  expect(report.stdout.match(/The event does not count: its key was ended before it/g)).toHaveLength(3);
  const more = await revoke('--size', '2');
  expect(more).toMatchObject({ code: 1, stderr: expect.stringContaining('its first 1 events stand') });
});

test('key revoke on the terminal goes on when it is told to, and asks nothing when nothing stops counting', async () => {
  await using t = await makeRecord();
  await approved(t);
  const agent = keyOf(t, 'agent');
  const harmless = await waymark(['key', 'revoke', agent, '--reason', 'retirement'], as(t, 'carol'));
  expect(harmless.code).toBe(0);
  expect(harmless.stdout).toContain('of its events stand the first 1');
  expect((await waymark(['verify'], as(t, 'carol'))).code).toBe(0);
  const args = ['key', 'revoke', agent, '--reason', 'compromise', '--size', '0'];
  const told = await onTerminal(args, { ...as(t, 'carol'), answers: [['[y/N] ', 'y\n']] });
  expect(told.code).toBe(0);
  expect((await waymark(['key', 'revoke', agent, '--reason', 'compromise'], as(t, 'carol'))).code).toBe(1);
});

/** Ending a key: what stops counting is said before, all of it. */
import { expect, test } from 'vitest';
import { ok } from '../../src/record/outcome.ts';
import { cloneId } from '../../src/trail/clone.ts';
import { enrolKey, showKeys } from '../../src/trail/keys.ts';
import type { RevocationPlan } from '../../src/trail/revocation-plan.ts';
import { revokeKey } from '../../src/trail/revoke-key.ts';
import { rotateKey } from '../../src/trail/rotate-key.ts';
import { verify } from '../../src/trail/verify.ts';
import { makeRecord, type TestRecord, value } from '../support/record.ts';

const trail_name = 'acme/eng';

async function saved(t: TestRecord, agentId: string): Promise<string> {
  const { thought } = value(await t.session(agentId).operations().save({ trail_name, content: 'Text' }));
  return thought.thought_id;
}

async function approve(t: TestRecord, agentId: string, thought_id: string): Promise<void> {
  const operator = t.session(agentId, { operator: true }).operations();
  value(await operator.decide({ trail_name, thought_id, verdict: 'approve' }));
}

function recalled(t: TestRecord) {
  return t
    .session('reader')
    .operations()
    .recall({ trail_name, query: '' })
    .then((outcome) =>
      value(outcome)
        .thoughts.map(({ thought_id }) => thought_id)
        .sort(),
    );
}

function agentKey({ record: { keys, repository } }: TestRecord, agent_id: string): string {
  const identity = { repository: repository.trust.repositoryId, agent_id, clone: cloneId(repository.root) };
  return keys.find({ kind: 'agent', ...identity })?.publicKey ?? '';
}

function operatorKey({ record: { keys, repository } }: TestRecord, agent_id: string): string {
  return keys.find({ kind: 'operator', repository: repository.trust.repositoryId, agent_id })?.publicKey ?? '';
}

test('the plan names what owes the key its enrolment too, and revocations that no longer count', async () => {
  await using t = await makeRecord();
  const [first, second] = [await saved(t, 'alice'), await saved(t, 'alice')];
  await approve(t, 'carol', first);
  const carol = operatorKey(t, 'carol');
  const dave = value(showKeys(t.record, 'dave'))[0]?.public_key ?? '';
  value(await enrolKey(t.record, { publicKey: dave, agentId: 'dave', role: 'operator' }, { person: 'carol' }));
  const daves = value(await rotateKey(t.record, { kind: 'operator', agentId: 'dave' })).new_key;
  await approve(t, 'dave', second);
  await saved(t, 'mallory');
  const mallory = agentKey(t, 'mallory');
  const certain = { person: 'carol', confirm: async () => ok(null) };
  value(await revokeKey(t.record, { publicKey: mallory, reason: 'compromise' }, certain));
  expect(await recalled(t)).toEqual([first, second].sort());

  let shown: RevocationPlan | null = null;
  const input = { publicKey: carol, reason: 'compromise', size: 1 } as const;
  // Dave owes his enrolment to the key that he would end.
  expect(await revokeKey(t.record, input, { ...certain, person: 'dave' })).toMatchObject({ code: 'authority' });
  const confirm = async (plan: RevocationPlan) => {
    shown = plan;
    return ok(null);
  };
  value(await revokeKey(t.record, input, { person: 'carol', confirm }));
  expect(shown).toMatchObject({
    stand: 1,
    approvals: [second],
    keys: [dave, daves].sort(),
    unrevoked: [mallory],
    // Of carol's two, of dave's hand-over, and of his approval.
    voided: 4,
  });
  expect(await recalled(t)).toEqual([first]);
  await saved(t, 'mallory');
  const codes = (await verify(t.record)).findings.map(({ code }) => code);
  expect(codes).toContain('after_revocation');
});

test('what is signed while somebody reads the plan is not voided unseen', async () => {
  await using t = await makeRecord();
  const [first, second, third] = [await saved(t, 'alice'), await saved(t, 'alice'), await saved(t, 'alice')];
  await approve(t, 'carol', first);
  await approve(t, 'carol', second);
  const input = { publicKey: operatorKey(t, 'carol'), reason: 'compromise', size: 1 } as const;
  const meanwhile = async () => {
    await approve(t, 'carol', third);
    return ok(null);
  };
  expect(await revokeKey(t.record, input, { person: 'carol', confirm: meanwhile })).toMatchObject({ code: 'conflict' });
  expect(await recalled(t)).toEqual([first, second, third].sort());
  const again = value(await revokeKey(t.record, input, { person: 'carol', confirm: async () => ok(null) }));
  expect(again).toMatchObject({ stand: 1, approvals: [second, third].sort() });
  expect(await recalled(t)).toEqual([first]);
});

import { expect, test } from 'vitest';
import { verify } from '../../src/trail/verify.ts';
import { eventsOf } from '../cases/evidence.ts';
import { makeRecord, type TestRecord, value } from '../support/record.ts';
import { makeAuditor } from '../tools/support.ts';

const SCOPE = { trail_name: 'acme/api' };

async function approved(t: TestRecord, content: string, trail_name = 'acme/api'): Promise<string> {
  const { thought } = value(await t.session('alice').operations().save({ trail_name, content }));
  const { thought_id } = thought;
  value(
    await t.session('carol', { operator: true }).operations().decide({ trail_name, thought_id, verdict: 'approve' }),
  );
  return thought_id;
}

test('saving the same value again names those the caller may see, and harms neither (cases.md B45)', async () => {
  await using t = await makeRecord();
  const alice = t.session('alice').operations();
  const bob = t.session('bob').operations();
  const text = 'Retry only idempotent charges, at most 3 times.';
  const record = await approved(t, text);
  const again = value(await bob.save({ ...SCOPE, content: ' retry ONLY idempotent charges -- at most 3 times' }));
  expect(again.duplicate_of).toEqual([record]);
  const own = value(await bob.save({ ...SCOPE, content: text }));
  expect(own.duplicate_of).toEqual([record, again.thought.thought_id]);
  // Bob's drafts are nothing to Alice; another number, another scope are other values.
  expect(value(await alice.save({ ...SCOPE, content: text })).duplicate_of).toEqual([record]);
  const others = [
    { ...SCOPE, content: text.replace('3', '4') },
    { ...SCOPE, content: text.replace('3', '-3') },
    { trail_name: 'acme/web', content: text },
  ];
  for (const other of others) expect(value(await alice.save(other))).not.toHaveProperty('duplicate_of');
  const { thoughts } = value(await alice.recall(SCOPE));
  expect(thoughts.map((thought) => thought.thought_id)).toEqual([record]);
});

test('pairs are listed with what they say differently, and each way of settling one holds', async () => {
  await using t = await makeRecord();
  const carol = t.session('carol', { operator: true }).operations();
  const claim = (seconds: number) =>
    `The gateway of the billing service gives up on a charge after ${seconds} seconds in every region.`;
  const old = await approved(t, claim(30));
  const newer = await approved(t, claim(45));
  const first = await approved(t, 'Deploys of the web shop happen on Tuesdays after the checks are green.');
  const second = await approved(t, 'Deploys of the web shop happen on Tuesdays after the checks are green!');
  await approved(t, claim(30), 'acme/other');
  await approved(t, 'Nothing else is like this one here.');
  const pairs = async () =>
    value(await carol.duplicates({ scope: 'acme/**' })).pairs.map((pair) => ({
      ids: [pair.old.thought_id, pair.new.thought_id],
      differ: pair.differ,
    }));
  expect(await pairs()).toEqual([
    { ids: [old, newer], differ: ['numbers'] },
    { ids: [first, second], differ: [] },
  ]);

  const agent = t.session('alice').operations();
  const settle = { thought_ids: [old, newer] as const, reason: 'Measured again' };
  expect(await agent.resolveDuplicate({ ...settle, keep: 'new' })).toMatchObject({ ok: false, rule: 'needs_operator' });
  expect(await carol.resolveDuplicate({ ...settle, reason: ' ', keep: 'new' })).toMatchObject({ field: 'reason' });
  expect(await pairs()).toHaveLength(2);
  const merged = value(await carol.resolveDuplicate({ ...settle, keep: 'new' }));
  expect(merged).toMatchObject({ kept: [newer], retired: old });
  value(await carol.resolveDuplicate({ thought_ids: [second, first], keep: 'both', reason: 'Two shops' }));
  expect(await pairs()).toEqual([]);

  // The retired one explains itself and is not current; a rebuild says the same.
  const check = async () => {
    const { thoughts } = value(await agent.recall({ ...SCOPE, query: 'gateway' }));
    expect(thoughts.map((thought) => thought.thought_id)).toEqual([newer]);
    const { thought } = value(await agent.get({ ...SCOPE, thought_id: old }));
    expect(thought).toMatchObject({ superseded_by: newer, validation_status: 'approved' });
    expect(await pairs()).toEqual([]);
  };
  await check();
  expect(eventsOf(t.root).flatMap(({ _local: said }) => said?.verb ?? [])).toEqual(
    expect.arrayContaining(['merge', 'keep_both']),
  );
  await t.record.repository.reindex();
  await check();
  using auditor = makeAuditor();
  expect((await verify(t.record)).verdicts).toEqual([]);
  expect(await auditor.verifyOnThread([t.root])).toMatchObject({ ok: true, verdicts: [] });

  // A second settling of the same pair finds it no longer current.
  expect(await carol.resolveDuplicate({ ...settle, keep: 'old' })).toMatchObject({ ok: false });
});

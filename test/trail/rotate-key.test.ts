/** Handing keys over: what signs afterwards, also after a crash in the middle. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ok } from '../../src/record/outcome.ts';
import { cloneId } from '../../src/trail/clone.ts';
import { enrolKey, listKeys, showKeys } from '../../src/trail/keys.ts';
import { protectKeys } from '../../src/trail/protect-keys.ts';
import { revokeKey } from '../../src/trail/revoke-key.ts';
import { rotateKey } from '../../src/trail/rotate-key.ts';
import { verify } from '../../src/trail/verify.ts';
import { makeRecord, type TestRecord, value } from '../support/record.ts';

const trail_name = 'acme/eng';

async function saved(t: TestRecord, agentId: string, content = 'Text'): Promise<string> {
  return value(await t.session(agentId).operations().save({ trail_name, content })).thought.thought_id;
}

async function approve(t: TestRecord, thought_id: string): Promise<void> {
  const carol = t.session('carol', { operator: true }).operations();
  value(await carol.decide({ trail_name, thought_id, verdict: 'approve' }));
}

/** Who signed the newest event of a verb. */
function signerOf(t: TestRecord, verb: 'save' | 'approve' | 'enrol'): string | undefined {
  return t.record.repository.index.reader().validEventsOf(verb).at(-1)?.envelope.record.creator_key;
}

function keyFiles(t: TestRecord): readonly string[] {
  return readdirSync(join(t.env['XDG_CONFIG_HOME'] ?? '', 'waymark', 'keys'));
}

async function faults(t: TestRecord): Promise<readonly string[]> {
  return (await verify(t.record)).findings.map(({ code }) => code);
}

describe('an agent key', () => {
  test('is followed by the new one at once, in processes that run too, and the old file is kept aside', async () => {
    await using t = await makeRecord();
    const running = t.session('alice').operations();
    const first = value(await running.save({ trail_name, content: 'One' })).thought.thought_id;
    const { old_key, new_key } = value(await rotateKey(t.record, { kind: 'agent', agentId: 'alice' }));
    expect(signerOf(t, 'save')).toBe(old_key);
    value(await running.update({ trail_name, thought_id: first, content: 'One, edited' }));
    value(await running.save({ trail_name, content: 'Two' }));
    expect(signerOf(t, 'save')).toBe(new_key);
    const retired = keyFiles(t).filter((name) => name.endsWith('.retired'));
    expect(retired).toHaveLength(1);
    const { mode } = statSync(join(t.env['XDG_CONFIG_HOME'] ?? '', 'waymark', 'keys', retired[0] ?? ''));
    expect(mode & 0o777).toBe(0o600);
    expect(await faults(t)).toEqual([]);
    const listed = listKeys(t.record).keys.find(({ public_key }) => public_key === old_key);
    expect(listed?.revoked).toEqual({ reason: 'rotation', size: 2, successor: new_key });
  });

  test('that signed nothing yet has nothing to hand over', async () => {
    await using t = await makeRecord();
    expect(await rotateKey(t.record, { kind: 'agent', agentId: 'alice' })).toMatchObject({ code: 'not_found' });
    await saved(t, 'alice');
    expect(await rotateKey(t.record, { kind: 'agent', agentId: 'alice' })).toMatchObject({ ok: true });
  });

  test.each(['lock', 'intent', 'commit', 'index'] as const)(
    'survives an end at "%s": one key signs on',
    async (step) => {
      let fails = false;
      await using t = await makeRecord({
        onStep: (at) => {
          if (fails && at === step) throw new Error('The process ended');
        },
      });
      await saved(t, 'alice');
      fails = true;
      await rotateKey(t.record, { kind: 'agent', agentId: 'alice' }).catch(() => null);
      fails = false;
      await saved(t, 'alice', 'After');
      // Whichever it is: a second run hands over from it.
      const { old_key, new_key } = value(await rotateKey(t.record, { kind: 'agent', agentId: 'alice' }));
      expect(signerOf(t, 'save')).toBe(old_key);
      await saved(t, 'alice', 'Last');
      expect(signerOf(t, 'save')).toBe(new_key);
      expect(await faults(t)).toEqual([]);
    },
  );

  test('that was revoked is not followed by one of its own making, but by the one an operator enrols', async () => {
    await using t = await makeRecord();
    await approve(t, await saved(t, 'alice'));
    const alice = t.record.keys.find({ ...holderOf(t), agent_id: 'alice' })?.publicKey ?? '';
    const options = { person: 'carol', confirm: async () => ok(null) };
    value(await revokeKey(t.record, { publicKey: alice, reason: 'compromise' }, options));
    const refused = await t.session('alice').operations().save({ trail_name, content: 'Again' });
    expect(refused).toMatchObject({ ok: false, code: 'authority' });
    const next = refused.ok ? '' : (/key enrol (\S+)/.exec(refused.next)?.[1] ?? '');
    expect(await t.session('alice').operations().save({ trail_name, content: 'Again' })).toEqual(refused);
    value(await t.session('bob').operations().save({ trail_name, content: 'Of another' }));
    value(await enrolKey(t.record, { publicKey: next, agentId: 'alice', role: 'agent' }, { person: 'carol' }));
    await saved(t, 'alice', 'Again');
    expect(signerOf(t, 'save')).toBe(next);
    const again = { publicKey: alice, agentId: 'alice', role: 'agent' as const };
    expect(await enrolKey(t.record, again, { person: 'carol' })).toMatchObject({ code: 'conflict' });
    expect(await faults(t)).toEqual([]);
  });
});

test('a key that waits is passed over once it is lost, and another one is made', async () => {
  await using t = await makeRecord();
  await approve(t, await saved(t, 'alice'));
  const options = { person: 'carol', confirm: async () => ok(null) };
  const refusedKey = async () => {
    const refused = await t.session('alice').operations().save({ trail_name, content: 'Again' });
    return refused.ok ? 'saved' : (/key enrol (\S+)/.exec(refused.next)?.[1] ?? refused.message);
  };
  const alice = t.record.keys.find({ ...holderOf(t), agent_id: 'alice' })?.publicKey ?? '';
  value(await revokeKey(t.record, { publicKey: alice, reason: 'compromise' }, options));
  const wrong = await refusedKey();
  // Enrolled for somebody else, by a slip.
  value(await enrolKey(t.record, { publicKey: wrong, agentId: 'alcie', role: 'agent' }, { person: 'carol' }));
  const ended = await refusedKey();
  // Enrolled, and revoked before it was used.
  value(await enrolKey(t.record, { publicKey: ended, agentId: 'alice', role: 'agent' }, { person: 'carol' }));
  value(await revokeKey(t.record, { publicKey: ended, reason: 'retirement' }, options));
  const third = await refusedKey();
  expect(new Set([alice, wrong, ended, third]).size).toBe(4);
  value(await enrolKey(t.record, { publicKey: third, agentId: 'alice', role: 'agent' }, { person: 'carol' }));
  expect(await refusedKey()).toBe('saved');
  expect(signerOf(t, 'save')).toBe(third);

  // The same of a person's key that never counted.
  const first = value(showKeys(t.record, 'dave'))[0]?.public_key ?? '';
  value(await enrolKey(t.record, { publicKey: first, agentId: 'dvae', role: 'operator' }, { person: 'carol' }));
  const shown = value(showKeys(t.record, 'dave')).find(({ enrolled_as }) => enrolled_as === null)?.public_key ?? '';
  value(await enrolKey(t.record, { publicKey: shown, agentId: 'dave', role: 'operator' }, { person: 'carol' }));
  expect((await t.session('dave', { operator: true }).identity()).principal.role).toBe('operator');
});

describe("a person's key", () => {
  test('of an operator: the approvals of both count, and no other operator is enrolled by use', async () => {
    await using t = await makeRecord();
    await approve(t, await saved(t, 'alice', 'One'));
    const { old_key, new_key } = value(await rotateKey(t.record, { kind: 'operator', agentId: 'carol' }));
    expect(signerOf(t, 'approve')).toBe(old_key);
    await approve(t, await saved(t, 'alice', 'Two'));
    expect(signerOf(t, 'approve')).toBe(new_key);
    const recalled = value(await t.session('reader').operations().recall({ trail_name, query: '' }));
    expect(recalled.thoughts).toHaveLength(2);
    expect((await t.session('dave', { operator: true }).identity()).principal.role).toBe('agent');
    expect(await faults(t)).toEqual([]);
  });

  test('of the owner: the successor enrols, is listed as owner, and the old one no longer does', async () => {
    await using t = await makeRecord();
    const { old_key, new_key } = value(await rotateKey(t.record, { kind: 'owner', agentId: 'carol' }));
    // The first operator is still enrolled by use, by whoever the owner is now.
    await approve(t, await saved(t, 'alice'));
    expect(signerOf(t, 'enrol')).toBe(new_key);
    const owners = listKeys(t.record).keys.filter(({ role }) => role === 'owner');
    expect(owners.map(({ public_key, revoked }) => [public_key, revoked?.reason])).toEqual([
      [old_key, 'rotation'],
      [new_key, undefined],
    ]);
    expect(value(showKeys(t.record, 'carol')).find(({ kind }) => kind === 'owner')).toMatchObject({
      public_key: new_key,
      enrolled_as: 'owner',
    });
    const { trust } = t.record.repository;
    expect(trust.owner).toBe(old_key);
    expect(await faults(t)).toEqual([]);
  });

  test('with a passphrase is followed by one with a passphrase, and never without asking for it', async () => {
    await using t = await makeRecord();
    await approve(t, await saved(t, 'alice'));
    const old = async () => 'old';
    value(await protectKeys(t.record, { person: 'carol', newPassphrase: old, askPassphrase: old }));
    const input = { kind: 'operator', agentId: 'carol' } as const;
    expect(await rotateKey(t.record, input)).toMatchObject({ code: 'authority' });
    const silent = { askPassphrase: old, newPassphrase: async () => null };
    expect(await rotateKey(t.record, input, silent)).toMatchObject({ code: 'invalid' });
    const left = { kind: 'operator' as const, repository: holderOf(t).repository, agent_id: 'carol' };
    t.record.keys.prepare(left, 'forgotten');
    const stuck = await rotateKey(t.record, input, { askPassphrase: old, newPassphrase: async () => 'new' });
    expect(stuck).toMatchObject({ code: 'authority', next: expect.stringContaining('".pending"') });
    t.record.keys.setAside(left);
    const done = value(await rotateKey(t.record, input, { askPassphrase: old, newPassphrase: async () => 'new' }));
    expect(done.protection).toBe('scrypt');
    const key = t.record.keys.find({ kind: 'operator', repository: holderOf(t).repository, agent_id: 'carol' });
    expect(key?.publicKey).toBe(done.new_key);
    if (key !== null) expect(t.record.keys.unlock(key, 'new').ok).toBe(true);
    if (key !== null) expect(t.record.keys.unlock(key, 'old').ok).toBe(false);
    expect(await faults(t)).toEqual([]);
  });
});

function holderOf({ record: { repository } }: TestRecord) {
  return { kind: 'agent' as const, repository: repository.trust.repositoryId, clone: cloneId(repository.root) };
}

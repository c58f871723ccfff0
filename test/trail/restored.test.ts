/** An older copy of the record is put back: it is noticed, and writing goes on under a new key. */
import { execFileSync } from 'node:child_process';
import { cpSync, renameSync, rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { logNameOf } from '../../src/ledger/index.ts';
import { openRecord } from '../../src/trail/open.ts';
import { rotateKey } from '../../src/trail/rotate-key.ts';
import { Session } from '../../src/trail/session.ts';
import { status } from '../../src/trail/status.ts';
import { verify } from '../../src/trail/verify.ts';
import { makeRecord, type TestRecord, value } from '../support/record.ts';

const trail_name = 'acme/eng';

function head(t: TestRecord): string {
  return execFileSync('git', ['rev-parse', 'HEAD'], { cwd: t.root }).toString().trim();
}

function reset(t: TestRecord, commit: string): void {
  execFileSync('git', ['reset', '-q', '--hard', commit], { cwd: t.root });
}

async function findings(t: TestRecord): Promise<readonly string[]> {
  return (await verify(t.record)).findings.map(({ code }) => code);
}

function restoredEvents(t: TestRecord) {
  const events = t.record.repository.index.reader().validEventsOf('restored');
  return events.map(({ envelope: { record, _local: local } }) => ({ seq: record.waymark?.seq, ...local?.restored }));
}

function sizeOf(t: TestRecord, log: string): number | undefined {
  return t.record.repository.index.reader().writerTail(log)?.size;
}

test('after a reset the agent goes on under a new key, whose log begins with what was lost', async () => {
  await using t = await makeRecord();
  const alice = t.session('alice').operations();
  value(await alice.save({ trail_name, content: 'One' }));
  const before = head(t);
  value(await alice.save({ trail_name, content: 'Two' }));
  const old = signerOfSaves(t).at(-1) ?? '';
  reset(t, before);
  expect(await findings(t)).toContain('remembered_cut');

  const saved = value(await alice.save({ trail_name, content: 'Three' }));
  const log = logNameOf(old);
  expect(saved.warning).toContain(`log "${log}" holds 1 of the 2 events it had`);
  expect(restoredEvents(t)).toMatchObject([{ seq: 0, log, size: 2, found: 1 }]);
  expect(new Set(signerOfSaves(t)).size).toBe(2);
  expect(sizeOf(t, log)).toBe(1);
  // Declared, it is no fault any more; said once.
  expect(await findings(t)).toEqual([]);
  const { principal } = await t.session('alice').identity();
  expect((await status(t.record, principal)).writers.find((writer) => writer.log === log)?.remembered).toBe('restored');
  expect(value(await alice.save({ trail_name: 'acme/eng', content: 'Four' })).warning).toBeUndefined();
  expect(restoredEvents(t)).toHaveLength(1);
});

test('a folder put back from a copy is another clone, which declares what the first one lost', async () => {
  await using t = await makeRecord();
  value(await t.session('alice').operations().save({ trail_name, content: 'One' }));
  const copy = `${t.root}-copy`;
  cpSync(t.root, copy, { recursive: true });
  value(await t.session('alice').operations().save({ trail_name, content: 'Two' }));
  const log = logNameOf(signerOfSaves(t).at(-1) ?? '');
  await t.record.repository.close();
  renameSync(t.root, `${t.root}-broken`);
  cpSync(copy, t.root, { recursive: true });
  rmSync(copy, { recursive: true });

  const { environment, located } = t.record;
  const options = { environment, env: t.env, producer: 'waymark/test', warn: () => undefined };
  const record = value(await openRecord(located, options));
  try {
    const session = new Session(record, { via: 'library', agentId: 'alice', wantsOperator: false, env: {} });
    const saved = value(await session.operations().save({ trail_name, content: 'Three' }));
    expect(saved.warning).toContain(`log "${log}" holds 1 of the 2 events it had`);
    expect((await verify(record)).findings).toEqual([]);
  } finally {
    await record.repository.close();
  }
});

test('an agent that starts in a record where nothing is lost declares nothing', async () => {
  await using t = await makeRecord();
  const before = head(t);
  value(await t.session('alice').operations().save({ trail_name, content: 'One' }));
  expect(value(await t.session('bob').operations().save({ trail_name, content: 'Two' })).warning).toBeUndefined();
  expect(restoredEvents(t)).toEqual([]);
  // Of all that is lost now, bob declares his own alone.
  reset(t, before);
  value(await t.session('bob').operations().save({ trail_name, content: 'Three' }));
  expect(restoredEvents(t)).toHaveLength(1);
});

test('an operator goes on under a new key when the owner key is here, without a passphrase and whole', async () => {
  await using t = await makeRecord();
  const alice = t.session('alice').operations();
  const thought_id = value(await alice.save({ trail_name, content: 'One' })).thought.thought_id;
  const other = value(await alice.save({ trail_name, content: 'Two' })).thought.thought_id;
  const carol = () => t.session('carol', { operator: true }).operations();
  value(await carol().decide({ trail_name, thought_id, verdict: 'approve' }));
  const before = head(t);
  value(await carol().decide({ trail_name, thought_id: other, verdict: 'approve' }));
  reset(t, before);
  const again = value(await carol().decide({ trail_name, thought_id: other, verdict: 'approve' }));
  expect(again).toMatchObject({ warning: expect.stringContaining('holds 1 of the 2 events') });
  expect(restoredEvents(t)).toMatchObject([{ seq: 0, size: 2, found: 1 }]);
  expect(await findings(t)).toEqual([]);
  const { thoughts } = value(await t.session('reader').operations().recall({ trail_name, query: '' }));
  expect(thoughts).toHaveLength(2);
});

test('an operator who ends before signing under the new key declares the loss the next time', async () => {
  await using t = await makeRecord();
  const alice = t.session('alice').operations();
  const thought_id = value(await alice.save({ trail_name, content: 'One' })).thought.thought_id;
  const other = value(await alice.save({ trail_name, content: 'Two' })).thought.thought_id;
  const carol = () => t.session('carol', { operator: true });
  value(await carol().operations().decide({ trail_name, thought_id, verdict: 'approve' }));
  const before = head(t);
  value(await carol().operations().decide({ trail_name, thought_id: other, verdict: 'approve' }));
  reset(t, before);
  expect((await carol().identity()).principal.role).toBe('operator');
  expect(await findings(t)).toContain('remembered_cut');
  const again = value(await carol().operations().decide({ trail_name, thought_id: other, verdict: 'approve' }));
  expect(again).toMatchObject({ warning: expect.stringContaining('holds 1 of the 2 events') });
  expect(await findings(t)).toEqual([]);
});

test('an owner whose hand-over is lost is told so, and nothing is signed with a key the record does not know', async () => {
  await using t = await makeRecord();
  const before = head(t);
  value(await rotateKey(t.record, { kind: 'owner', agentId: 'carol' }));
  const whole = head(t);
  reset(t, before);
  const lost = await t.session('carol', { operator: true }).identity();
  expect(lost.principal.role).toBe('agent');
  expect(lost.notice).toContain('the owner key of this record is not on this machine');
  expect(head(t)).toBe(before);
  reset(t, whole);
  expect((await t.session('carol', { operator: true }).identity()).principal.role).toBe('operator');
});

test('an operator whose other clone may hold what is missing waits for it', async () => {
  await using t = await makeRecord();
  const alice = t.session('alice').operations();
  const thought_id = value(await alice.save({ trail_name, content: 'One' })).thought.thought_id;
  const carol = () => t.session('carol', { operator: true }).operations();
  value(await carol().listScopes({}));
  const before = head(t);
  value(await carol().decide({ trail_name, thought_id, verdict: 'reject', reason: 'No' }));
  const clone = `${t.root}-clone`;
  execFileSync('git', ['clone', '-q', t.root, clone]);
  const { environment, located } = t.record;
  const options = { environment, env: t.env, producer: 'waymark/test', warn: () => undefined };
  await value(await openRecord({ ...located, root: clone }, options)).repository.close();
  reset(t, before);
  expect(await carol().decide({ trail_name, thought_id, verdict: 'reject', reason: 'No' })).toMatchObject({
    code: 'repository',
    next: expect.stringContaining('git pull'),
  });
  expect(restoredEvents(t)).toEqual([]);
});

test("the owner's own log is never given up: its key refuses until the commits are back", async () => {
  await using t = await makeRecord();
  const alice = t.session('alice').operations();
  value(await alice.save({ trail_name, content: 'One' }));
  const before = head(t);
  const { principal } = await t.session('carol', { operator: true }).identity();
  expect(principal.role).toBe('operator');
  const whole = head(t);
  reset(t, before);
  const cut = await t.session('carol', { operator: true }).identity();
  expect(cut.principal.role).toBe('agent');
  expect(cut.notice).toContain('is not the one this machine has seen: cut');
  reset(t, whole);
  expect((await t.session('carol', { operator: true }).identity()).principal.role).toBe('operator');
});

/** Keys of the events that saved, in order. */
function signerOfSaves(t: TestRecord): readonly string[] {
  return t.record.repository.index
    .reader()
    .validEventsOf('save')
    .map(({ envelope }) => envelope.record.creator_key);
}

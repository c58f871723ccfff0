/** Somebody who may commit and holds a key that was revoked, or wants another to be. */
import { expect, test } from 'vitest';
import { handOver, type Revocation } from '../../src/ledger/index.ts';
import type { EventFile } from '../../src/ledger/types.ts';
import { ok } from '../../src/record/outcome.ts';
import { keysView } from '../../src/store/keys-view.ts';
import { adopt } from '../../src/trail/adopt.ts';
import { enrolKey, showKeys } from '../../src/trail/keys.ts';
import { revokeKey } from '../../src/trail/revoke-key.ts';
import { verify } from '../../src/trail/verify.ts';
import { makeRecord, type TestRecord, value } from '../support/record.ts';
import {
  commit,
  commitAs,
  committed,
  forge,
  listed,
  newWriter,
  ownWriter,
  personWriter,
  type Writing,
} from './forge.ts';

const trail_name = 'acme/eng';
/** Milliseconds; before anything else here. */
const LONG_AGO = 1_600_000_000_000;
const carol = { agent_id: 'carol', role: 'operator' } as const;

/** Alice's approved thought and a proposal, approved by carol; dave is an operator as well. */
async function prepare() {
  const t = await makeRecord();
  const alice = t.session('alice').operations();
  const byCarol = t.session('carol', { operator: true }).operations();
  const first = value(await alice.save({ trail_name, content: 'Policy one' })).thought.thought_id;
  value(await byCarol.decide({ trail_name, thought_id: first, verdict: 'approve' }));
  const second = value(await alice.save({ trail_name, content: 'Policy two' })).thought.thought_id;
  value(await byCarol.decide({ trail_name, thought_id: second, verdict: 'approve' }));
  return { t, alice, first, second, [Symbol.asyncDispose]: () => t[Symbol.asyncDispose]() };
}

async function governed(t: TestRecord): Promise<readonly string[]> {
  await t.record.repository.settleIndex();
  const { thoughts } = value(await t.session('reader').operations().recall({ trail_name, query: 'policy' }));
  return thoughts.map(({ thought_id }) => thought_id).sort();
}

async function named(t: TestRecord): Promise<readonly string[]> {
  const { findings } = await verify(t.record);
  return findings.map(({ code, path = '' }) => `${code} ${path}`).sort();
}

function ends({ signer }: Writing, size: number): { readonly revocation: Revocation } {
  return { revocation: { key: signer.publicKey, size, reason: 'compromise' } };
}

function approval(t: TestRecord, id: string): readonly EventFile[] {
  const path = listed(t.root, 'trails').find((candidate) => candidate.includes(id));
  if (path === undefined) throw new Error(`No file of ${id}`);
  const before = committed(t.root, path);
  const after = Buffer.from(before.toString().replace('validation_status: draft', 'validation_status: approved'));
  return [{ path, before, after, thought_id: id, status: 'approved' }];
}

test('a revoked operator key that signs on in another clone does not count and is named; what stood before stands', async () => {
  await using prepared = await prepare();
  const { t, alice, first, second } = prepared;
  const draft = value(await alice.save({ trail_name, content: 'Policy three' })).thought.thought_id;
  const by = personWriter(t.record, 'operator');
  const approve = { verb: 'approve' as const, files: approval(t, draft), local: { ...carol, thought_id: draft } };
  const signed = await withRevoked(t, { by, size: by.tail.size }, () => commitAs(t.record, by, approve));
  expect(await governed(t)).toEqual([first, second].sort());
  expect(await named(t)).toEqual([
    `after_revocation ${signed.path}`,
    `unverified_event_invalid ${approve.files[0]?.path}`,
  ]);
  // The same from scratch.
  await t.record.repository.reindex();
  expect(await governed(t)).toEqual([first, second].sort());
});

test('control: the same event of a key that nobody revoked does count', async () => {
  await using prepared = await prepare();
  const { t, alice, first, second } = prepared;
  const draft = value(await alice.save({ trail_name, content: 'Policy three' })).thought.thought_id;
  const by = personWriter(t.record, 'operator');
  commitAs(t.record, by, { verb: 'approve', files: approval(t, draft), local: { ...carol, thought_id: draft } });
  expect(await governed(t)).toEqual([first, second, draft].sort());
});

test('an approval after the size that stands falls, is named, and an operator brings the thought back', async () => {
  await using prepared = await prepare();
  const { t, first, second } = prepared;
  const by = personWriter(t.record, 'operator');
  expect(await governed(t)).toEqual([first, second].sort());
  const plan = value(
    await revokeKey(
      t.record,
      { publicKey: by.signer.publicKey, reason: 'compromise', size: by.tail.size - 1 },
      { person: 'carol', confirm: async () => ok(null) },
    ),
  );
  expect(plan).toMatchObject({ voided: 1, approvals: [second], stand: by.tail.size - 1 });
  expect(await governed(t)).toEqual([first]);
  const codes = async () => (await named(t)).map((line) => line.split(' ')[0]);
  // The approval moved the file: where the last event that counts left it, it is missing.
  expect(await codes()).toEqual(['after_revocation', 'missing_file', 'unverified_event_invalid']);

  const dave = value(showKeys(t.record, 'dave'))[0]?.public_key ?? '';
  value(await enrolKey(t.record, { publicKey: dave, agentId: 'dave', role: 'operator' }, { person: 'carol' }));
  const { environment, located } = t.record;
  const open = { environment, env: t.env, producer: 'waymark/test', warn: () => undefined };
  const report = value(
    await adopt(located, { open, dryRun: false, eol: false, person: () => 'dave', report: () => undefined }),
  );
  expect(report.records).toMatchObject([{ thought_id: second, becomes: 'governed', change: 'voided' }]);
  expect(await governed(t)).toEqual([first, second].sort());
  expect(await codes()).toEqual(['after_revocation']);
});

test('an agent cannot end an operator, nor an operator the owner, by committing that it did', async () => {
  await using prepared = await prepare();
  const { t, first, second } = prepared;
  const operator = personWriter(t.record, 'operator');
  const agent = ownWriter(t.record, 'alice');
  const tried = [
    commitAs(t.record, agent, { verb: 'revoke', local: { agent_id: 'alice', role: 'agent', ...ends(operator, 0) } }),
    commitAs(t.record, operator, { verb: 'revoke', local: { ...carol, ...ends(personWriter(t.record, 'owner'), 0) } }),
  ];
  expect(await governed(t)).toEqual([first, second].sort());
  expect(await named(t)).toEqual(tried.map(({ path }) => `wrong_role ${path}`).sort());
  // Control: of the agent, the operator may.
  const after = { signer: operator.signer, tail: tried[1]?.tail ?? operator.tail };
  commitAs(t.record, after, { verb: 'revoke', local: { ...carol, ...ends(agent, agent.tail.size) } });
  await t.record.repository.settleIndex();
  expect(t.record.repository.index.reader().revocationsOf(agent.signer.publicKey)).toHaveLength(1);
});

test('what a revoked operator says about others later does not count, nor that its end was another', async () => {
  await using prepared = await prepare();
  const { t, first, second } = prepared;
  const operator = personWriter(t.record, 'operator');
  const agent = ownWriter(t.record, 'alice');
  const signed = await withRevoked(t, { by: operator, size: operator.tail.size }, () => {
    const other = commitAs(t.record, operator, { verb: 'revoke', local: { ...carol, ...ends(agent, 0) } });
    const own = { signer: operator.signer, tail: other.tail };
    return [
      other,
      commitAs(t.record, own, { verb: 'revoke', local: { ...carol, ...ends(operator, own.tail.size + 1) } }),
    ];
  });
  expect(await governed(t)).toEqual([first, second].sort());
  expect(await named(t)).toEqual(signed.map(({ path }) => `after_revocation ${path}`).sort());
  expect(t.record.repository.index.reader().revocations()).toHaveLength(1);
});

test("a hand-over to somebody's key, dated before it was enrolled, does not take its log out of the record", async () => {
  await using prepared = await prepare();
  const { t, first, second } = prepared;
  const operator = personWriter(t.record, 'operator');
  const mallory = { agent_id: 'mallory', role: 'agent' } as const;
  /** A new agent of mallory's, from before there was anybody else, hands over at once. Answers its key. */
  function handsOver(said: (key: string) => Revocation & { readonly successor: string }): string {
    const by = newWriter();
    const begun = forge(by, { verb: 'save', files: [], local: mallory, timestamp: LONG_AGO });
    const revocation = said(by.signer.publicKey);
    const enrolment = { key: revocation.successor, ...mallory, protection: 'none' } as const;
    const local = { ...mallory, enrolment, revocation };
    const next = { signer: by.signer, tail: begun.tail };
    const handed = forge(next, { verb: 'rotate', files: [], local, timestamp: LONG_AGO });
    commit(t.root, { [begun.path]: begun.line, [handed.path]: handed.line });
    return by.signer.publicKey;
  }
  const { signer: stolen } = operator;
  const elsewhere = handOver(newWriter().signer.publicKey, { size: 2, successor: stolen });
  const own = newWriter().signer;
  const tried = [
    handsOver((key) => ({ key, size: 2, reason: 'rotation', successor: stolen.publicKey })),
    handsOver((key) => ({ ...elsewhere, key })),
    // Control: to a key of its own that says so, it does.
    handsOver((key) => handOver(key, { size: 2, successor: own })),
  ];
  await t.record.repository.reindex();
  const index = t.record.repository.index.reader();
  expect(await governed(t)).toEqual([first, second].sort());
  expect(index.key(stolen.publicKey)).toMatchObject(carol);
  expect(tried.map((key) => index.revocationsOf(key).length)).toEqual([0, 0, 1]);
  expect(index.key(own.publicKey)).toMatchObject(mallory);
});

test('the owner voids what an operator revoked with a stolen key', async () => {
  await using prepared = await prepare();
  const { t, first, second } = prepared;
  const operator = personWriter(t.record, 'operator');
  const agent = ownWriter(t.record, 'alice');
  commitAs(t.record, operator, { verb: 'revoke', local: { ...carol, ...ends(agent, 0) } });
  // Alice's saves are gone, and with them her custody; the approvals name the files, so they stay.
  await t.record.repository.settleIndex();
  expect(t.record.repository.index.reader().key(agent.signer.publicKey)).toBeNull();
  await withRevoked(t, { by: operator, size: operator.tail.size }, () => undefined);
  expect(t.record.repository.index.reader().key(agent.signer.publicKey)).not.toBeNull();
  expect(await governed(t)).toEqual([first, second].sort());
});

/** The owner ends the key; before that is taken in, `meanwhile` is committed. */
async function withRevoked<T>(
  t: TestRecord,
  { by, size }: { readonly by: Writing; readonly size: number },
  meanwhile: () => T,
): Promise<T> {
  const owner = personWriter(t.record, 'owner');
  const local = { agent_id: 'owner', role: 'owner', ...ends(by, size) } as const;
  commitAs(t.record, owner, { verb: 'revoke', local });
  const reader = t.record.repository.index.reader();
  const revocations = [...reader.revocations(), local.revocation];
  commit(t.root, { 'keys.yaml': keysView({ keys: reader.keys(), revocations }) });
  const made = meanwhile();
  await t.record.repository.settleIndex();
  return made;
}

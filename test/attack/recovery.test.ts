/** Somebody who stole the owner key, or wants a recovery of the record to be his. */
import { expect, test } from 'vitest';
import { handOver, logNameOf, readRecoveryFile, type SignedEvent } from '../../src/ledger/index.ts';
import type { EventFile, SidecarFacts, Signer } from '../../src/ledger/types.ts';
import { ok } from '../../src/record/outcome.ts';
import { recoverOwner } from '../../src/trail/recover-owner.ts';
import { recoveryFileBesideOwner } from '../../src/trail/recovery-key.ts';
import { verify } from '../../src/trail/verify.ts';
import { makeRecord, type TestRecord, value } from '../support/record.ts';
import { makeAuditor } from '../tools/support.ts';
import { commit, commitAs, committed, listed, newWriter, ownWriter, personWriter, type Writing } from './forge.ts';

const trail_name = 'acme/eng';
/** Milliseconds; before anything else here. */
const LONG_AGO = 1_600_000_000_000;
const OWNER = { agent_id: 'owner', role: 'owner' } as const;
const RECOVERY = { agent_id: 'owner', role: 'recovery' } as const;
const MALLORY = { agent_id: 'mallory', role: 'operator' } as const;

/** Alice's approved thought and a draft; carol is the operator. */
async function prepare() {
  const t = await makeRecord();
  const alice = t.session('alice').operations();
  const carol = t.session('carol', { operator: true }).operations();
  const first = value(await alice.save({ trail_name, content: 'Policy one' })).thought.thought_id;
  value(await carol.decide({ trail_name, thought_id: first, verdict: 'approve' }));
  const draft = value(await alice.save({ trail_name, content: 'Policy two' })).thought.thought_id;
  const file = recoveryFileBesideOwner(t.record.environment, t.record.repository.trust.repositoryId);
  return { t, first, draft, file, [Symbol.asyncDispose]: () => t[Symbol.asyncDispose]() };
}

/** Two verifiers that must say the same. */
async function verdicts(t: TestRecord): Promise<readonly string[]> {
  await t.record.repository.settleIndex();
  const ours = await verify(t.record);
  using auditor = makeAuditor();
  const alone = await auditor.verifyOnThread([auditor.clone(t.root)]);
  const told = (findings: readonly { readonly verdict?: string | undefined; readonly path?: string }[]) =>
    findings.flatMap(({ verdict, path = '' }) => (verdict === undefined ? [] : `${verdict} ${path}`)).sort();
  expect(told(alone.findings)).toEqual(told(ours.findings));
  return told(ours.findings);
}

async function governed(t: TestRecord): Promise<readonly string[]> {
  await t.record.repository.settleIndex();
  const { thoughts } = value(await t.session('reader').operations().recall({ trail_name, query: 'policy' }));
  return thoughts.map(({ thought_id }) => thought_id).sort();
}

function owners(t: TestRecord): readonly string[] {
  const index = t.record.repository.index.reader();
  const standing = index.keys().filter(({ key, role }) => role === 'owner' && index.revocationsOf(key).length === 0);
  return standing.map(({ key }) => key);
}

function enrols({ publicKey: key }: Signer, as: { readonly agent_id: string; readonly role: SidecarFacts['role'] }) {
  return { enrolment: { key, ...as, protection: 'none' } } as const;
}

function approval(t: TestRecord, id: string): readonly EventFile[] {
  const path = listed(t.root, 'trails').find((candidate) => candidate.includes(id)) ?? '';
  const before = committed(t.root, path);
  const after = Buffer.from(before.toString().replace('validation_status: draft', 'validation_status: approved'));
  return [{ path, before, after, thought_id: id, status: 'approved' }];
}

function goOn({ signer }: Writing, { tail }: SignedEvent): Writing {
  return { signer, tail };
}

/** The recovery key, which has signed nothing. */
function recoveryWriter(t: TestRecord, file: string): Writing {
  const key = readRecoveryFile(file);
  const signer = key === null ? null : t.record.keys.signerOf(key);
  if (signer === null) throw new Error('The recovery key is not there');
  const { publicKey } = signer;
  return { signer, tail: { log: logNameOf(publicKey), publicKey, size: 0, last: null, peaks: [] } };
}

test('what a thief did with the owner key is void after a recovery: operators, hand-over, recovery key, and what those did', async () => {
  await using prepared = await prepare();
  const { t, first, draft, file } = prepared;
  const before = owners(t);
  const owner = personWriter(t.record, 'owner');
  const carol = personWriter(t.record, 'operator');
  const [mallory, heir, own] = [newWriter(), newWriter(), newWriter()];
  const stolen = commitAs(t.record, owner, { verb: 'enrol', local: { ...OWNER, ...enrols(mallory.signer, MALLORY) } });
  const approves = { verb: 'approve' as const, files: approval(t, draft), local: { ...MALLORY, thought_id: draft } };
  const approved = commitAs(t.record, mallory, approves);
  const end = { key: carol.signer.publicKey, size: 0, reason: 'compromise' } as const;
  commitAs(t.record, goOn(mallory, approved), { verb: 'revoke', local: { ...MALLORY, revocation: end } });
  const second = commitAs(t.record, goOn(owner, stolen), {
    verb: 'enrol',
    local: { ...OWNER, ...enrols(own.signer, RECOVERY) },
  });
  const size = second.tail.size + 1;
  const handed = commitAs(t.record, goOn(owner, second), {
    verb: 'rotate',
    local: {
      ...OWNER,
      ...enrols(heir.signer, OWNER),
      revocation: handOver(owner.signer.publicKey, { size, successor: heir.signer }),
    },
  });
  // Until then the thief is the owner, and carol nobody; but for the recovery key, of which there is one.
  expect(await governed(t)).toEqual([draft]);
  expect(owners(t)).toEqual([heir.signer.publicKey]);
  expect((await verdicts(t)).filter((line) => line.includes(second.path))).toEqual([`wrong_role ${second.path}`]);

  const done = value(await recoverOwner(t.record, { file, since: stolen.hash }, { confirm: async () => ok(null) }));
  expect(done).toMatchObject({ voided: 4, public_key: before[0], approvals: [draft] });
  expect(owners(t)).toEqual([done.new_key]);
  expect(await governed(t)).toEqual([first]);
  const voided = [stolen, second, handed].map(({ path }) => `after_revocation ${path}`);
  expect(await verdicts(t)).toEqual(expect.arrayContaining(voided));
  expect(t.record.repository.index.reader().revocationsOf(carol.signer.publicKey)).toEqual([]);
  // Whatever he goes on with, wherever and however dated.
  const late = commitAs(t.record, goOn(owner, handed), {
    verb: 'enrol',
    timestamp: LONG_AGO,
    local: { ...OWNER, ...enrols(newWriter().signer, MALLORY) },
  });
  commitAs(t.record, heir, {
    verb: 'enrol',
    timestamp: LONG_AGO,
    local: { ...OWNER, ...enrols(newWriter().signer, MALLORY) },
  });
  const more = await verdicts(t);
  expect(more).toContain(`after_revocation ${late.path}`);
  expect(owners(t)).toEqual([done.new_key]);
  const known = () => t.record.repository.index.reader().keys();
  const grown = { governed: await governed(t), keys: known() };
  expect(grown.keys.map(({ key }) => key)).not.toContain(heir.signer.publicKey);
  await t.record.repository.reindex();
  expect({ governed: await governed(t), keys: known() }).toEqual(grown);
  // The id stays, by which every machine knows the record.
  expect(t.record.repository.trust.owner).toBe(before[0]);
});

test('nobody but the recovery key takes the record back: each forged recovery is named by both verifiers and changes nothing', async () => {
  await using prepared = await prepare();
  const { t, first, file } = prepared;
  const before = owners(t);
  const owner = personWriter(t.record, 'owner');
  const [key, size] = [owner.signer.publicKey, owner.tail.size];
  const heir = newWriter().signer;
  const said = {
    ...enrols(heir, OWNER),
    revocation: { ...handOver(key, { size, successor: heir }), reason: 'compromise' as const },
  };
  const { proof: _, ...unproved } = said.revocation;
  const reviewer = newWriter();
  const given = commitAs(t.record, owner, {
    verb: 'enrol',
    local: { ...OWNER, ...enrols(reviewer.signer, { agent_id: 'rita', role: 'reviewer' }) },
  });
  const byRecovery = recoveryWriter(t, file);
  const tried = [
    commitAs(t.record, ownWriter(t.record, 'alice'), {
      verb: 'recover',
      local: { agent_id: 'alice', role: 'agent', ...said },
    }),
    commitAs(t.record, personWriter(t.record, 'operator'), {
      verb: 'recover',
      local: { agent_id: 'carol', role: 'operator', ...said },
    }),
    commitAs(t.record, reviewer, { verb: 'recover', local: { agent_id: 'rita', role: 'reviewer', ...said } }),
    commitAs(t.record, goOn(owner, given), { verb: 'recover', local: { ...OWNER, ...said } }),
    commitAs(t.record, newWriter(), { verb: 'recover', timestamp: LONG_AGO, local: { ...RECOVERY, ...said } }),
  ];
  // With the key itself, but not with the word of the new one, and under another verb.
  const wordless = commitAs(t.record, byRecovery, {
    verb: 'recover',
    local: { ...RECOVERY, ...said, revocation: unproved },
  });
  const rotated = commitAs(t.record, goOn(byRecovery, wordless), { verb: 'rotate', local: { ...RECOVERY, ...said } });
  tried.push(wordless, rotated);
  const named = await verdicts(t);
  expect(tried.filter(({ path }) => !named.some((line) => line.endsWith(` ${path}`)))).toEqual([]);
  expect(owners(t)).toEqual(before);
  expect(await governed(t)).toEqual([first]);
  // Replayed further on in its log, or in another one, a recovery is no event of that place.
  const real = commitAs(t.record, goOn(byRecovery, rotated), {
    verb: 'recover',
    local: { ...RECOVERY, ...said, revocation: { ...said.revocation, size: given.tail.size } },
  });
  expect(owners(t)).toEqual(before);
  await t.record.repository.settleIndex();
  expect(owners(t)).toEqual([heir.publicKey]);
  const copies = [real.path.replace(/02\.jsonl$/, '03.jsonl'), given.path.replace(/[^/]+$/, 'fe.jsonl')];
  commit(t.root, Object.fromEntries(copies.map((path) => [path, real.line])));
  expect((await verdicts(t)).filter((line) => copies.some((path) => line.endsWith(path)))).toHaveLength(2);
  await t.record.repository.reindex();
  expect(owners(t)).toEqual([heir.publicKey]);
});

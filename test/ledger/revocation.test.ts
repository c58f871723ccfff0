/** Who may end which key, and what stands then. */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { KEY_REVOCATION } from '../../src/ledger/event-type.ts';
import {
  type AtribRecord,
  applyEvent,
  type DeclaredLoss,
  type EventDraft,
  emptyRoster,
  handOver,
  isAfterRevocation,
  isDeclaredLoss,
  knownAfter,
  type Revocation,
  type Roster,
  recordHash,
  type SidecarFacts,
  type Signer,
  signRecord,
  verifySignature,
  type WriterTail,
} from '../../src/ledger/index.ts';
import { testEvent, testSigner, vector } from './support.ts';

const owner = testSigner(1);
const operator = testSigner(2);
const agent = testSigner(3);
const other = testSigner(4);
const next = testSigner(5);
const later = testSigner(6);

const asOwner = { agent_id: 'olga', role: 'owner' } as const;
const asOperator = { agent_id: 'otto', role: 'operator' } as const;
const asAgent = { agent_id: 'ann', role: 'agent' } as const;
const asOther = { agent_id: 'bob', role: 'agent' } as const;

function story() {
  let roster: Roster = emptyRoster(owner.publicKey);
  let pos = 0;
  const tails = new Map<string, WriterTail>();
  function apply(signer: Signer, verb: EventDraft['verb'], local: SidecarFacts): string {
    const tail = tails.get(signer.publicKey);
    const event = testEvent({ signer, draft: { verb, local }, ...(tail && { tail }) });
    tails.set(signer.publicKey, event.tail);
    pos += 1;
    const verdict = applyEvent(roster, { record: event.record, _local: event.local }, pos);
    if (!verdict.ok) expect(verdict.roster).toBe(roster);
    roster = verdict.roster;
    return verdict.ok ? 'ok' : verdict.code;
  }
  const size = (signer: Signer) => tails.get(signer.publicKey)?.size ?? 0;
  return { apply, size, roster: () => roster };
}

function enrolment(
  { publicKey: key }: Signer,
  who: { readonly agent_id: string; readonly role: SidecarFacts['role'] },
) {
  return { key, agent_id: who.agent_id, role: who.role, protection: 'none' } as const;
}

/** Owner, an operator and two agents. */
function founded() {
  const told = story();
  told.apply(owner, 'init', asOwner);
  told.apply(owner, 'enrol', { ...asOwner, enrolment: enrolment(operator, asOperator) });
  told.apply(agent, 'save', { ...asAgent, enrolment: enrolment(agent, asAgent) });
  expect(told.apply(other, 'save', { ...asOther, enrolment: enrolment(other, asOther) })).toBe('ok');
  return told;
}

function revocation({ publicKey: key }: Signer, size: number, reason: Revocation['reason'] = 'compromise'): Revocation {
  return { key, size, reason };
}

function handOverTo(
  from: Signer,
  to: Signer,
  at: { readonly size: number; readonly as: typeof asAgent | typeof asOwner },
) {
  return {
    ...at.as,
    enrolment: enrolment(to, at.as),
    revocation: handOver(from.publicKey, { size: at.size, successor: to }),
  };
}

/** A hand-over of the agent's as it would be, but for the proof. */
function unproved(): Revocation {
  const { proof: _, ...said } = handOver(agent.publicKey, { size: 2, successor: next });
  return said;
}

describe('revoke', () => {
  test.each([
    ['the owner, of an operator', owner, asOwner, operator, 0, 'ok'],
    ['the owner, of an agent', owner, asOwner, agent, 1, 'ok'],
    ['the owner, of a key nobody enrolled', owner, asOwner, later, 0, 'ok'],
    ['the owner, of itself', owner, asOwner, owner, 3, 'wrong_role'],
    ['an operator, of an agent', operator, asOperator, agent, 1, 'ok'],
    ['an operator, of the owner', operator, asOperator, owner, 2, 'wrong_role'],
    ['an operator, of a key nobody enrolled', operator, asOperator, later, 0, 'bad_revocation'],
    ['an operator, of itself', operator, asOperator, operator, 1, 'ok'],
    ['an operator, of itself from before', operator, asOperator, operator, 0, 'bad_revocation'],
    ['an agent, of itself', agent, asAgent, agent, 2, 'ok'],
    ['an agent, of itself from before', agent, asAgent, agent, 1, 'bad_revocation'],
    ['an agent, of itself from later on', agent, asAgent, agent, 9, 'bad_revocation'],
    ['an agent, of an operator', agent, asAgent, operator, 0, 'wrong_role'],
    ['an agent, of another agent', agent, asAgent, other, 1, 'wrong_role'],
  ] as const)('by %s', (_, signer, as, target, size, expected) => {
    const { apply } = founded();
    expect(apply(signer, 'revoke', { ...as, revocation: revocation(target, size) })).toBe(expected);
  });

  test('what the key signs from that size on does not count, what it signed before does', () => {
    const { apply } = founded();
    expect(apply(owner, 'revoke', { ...asOwner, revocation: revocation(agent, 2, 'retirement') })).toBe('ok');
    expect(apply(agent, 'save', asAgent)).toBe('ok');
    expect(apply(agent, 'save', asAgent)).toBe('after_revocation');
    expect(apply(other, 'save', asOther)).toBe('ok');
  });

  test('it stands in its own verb, alone, and names no successor', () => {
    const { apply } = founded();
    const wrong = { ...asOwner, revocation: revocation(agent, 1) };
    expect(apply(owner, 'enrol', { ...wrong, enrolment: enrolment(later, asOther) })).toBe('bad_revocation');
    expect(apply(owner, 'revoke', { ...wrong, enrolment: enrolment(later, asOther) })).toBe('bad_revocation');
    expect(apply(owner, 'revoke', asOwner)).toBe('bad_revocation');
    const successor = later.publicKey;
    expect(apply(owner, 'revoke', { ...asOwner, revocation: { ...wrong.revocation, successor } })).toBe(
      'bad_revocation',
    );
    expect(apply(owner, 'revoke', wrong)).toBe('ok');
  });

  test('a record that says another reason than its sidecar does not count', () => {
    const { roster } = founded();
    const draft = { verb: 'revoke', local: { ...asOwner, revocation: revocation(agent, 1) } } as const;
    const { record, local } = testEvent({ signer: owner, draft });
    expect(record).toMatchObject({ event_type: KEY_REVOCATION, revoked_key: agent.publicKey });
    expect(record.revocation_reason).toBe('compromise');
    expect(applyEvent(roster(), { record, _local: local }, 9).ok).toBe(true);
    const { signature: _, ...unsigned } = record;
    const lying = signRecord({ ...unsigned, revocation_reason: 'retirement' }, owner);
    expect(applyEvent(roster(), { record: lying, _local: local }, 9)).toMatchObject({ code: 'bad_revocation' });
  });
});

describe('rotate', () => {
  test('the successor has agent and role, the old key signs nothing any more, and neither can be replayed', () => {
    const { apply, roster } = founded();
    expect(apply(agent, 'rotate', handOverTo(agent, next, { size: 2, as: asAgent }))).toBe('ok');
    expect(roster().keys.get(next.publicKey)).toMatchObject({ agent_id: 'ann', role: 'agent' });
    expect(apply(agent, 'save', asAgent)).toBe('after_revocation');
    expect(apply(agent, 'rotate', handOverTo(agent, later, { size: 4, as: asAgent }))).toBe('after_revocation');
    expect(apply(next, 'save', asAgent)).toBe('ok');
    // Back to the old key, or to one that is enrolled: no.
    expect(apply(next, 'rotate', handOverTo(next, agent, { size: 2, as: asAgent }))).toBe('re_enrolled');
    expect(apply(next, 'rotate', handOverTo(next, later, { size: 3, as: asAgent }))).toBe('ok');
  });

  test.each([
    ['another size', { size: 9, as: asAgent }, {}, 'bad_revocation'],
    [
      'a higher role',
      { size: 2, as: asAgent },
      { enrolment: enrolment(next, { agent_id: 'ann', role: 'operator' }) },
      'wrong_role',
    ],
    ['another agent', { size: 2, as: asAgent }, { enrolment: enrolment(next, asOther) }, 'wrong_role'],
    ['another successor', { size: 2, as: asAgent }, { enrolment: enrolment(later, asAgent) }, 'bad_revocation'],
    ['itself', { size: 2, as: asAgent }, { enrolment: enrolment(agent, asAgent) }, 'bad_revocation'],
    ['no word of the successor', { size: 2, as: asAgent }, { revocation: unproved() }, 'bad_revocation'],
    [
      "the successor's word to another key",
      { size: 2, as: asAgent },
      { revocation: { ...unproved(), proof: handOver(other.publicKey, { size: 2, successor: next }).proof } },
      'bad_revocation',
    ],
    ['nothing amiss', { size: 2, as: asAgent }, {}, 'ok'],
  ] as const)('with %s', (_, at, change, expected) => {
    const { apply } = founded();
    expect(apply(agent, 'rotate', { ...handOverTo(agent, next, at), ...change })).toBe(expected);
  });

  test('the owner hands over ownership; nobody ends or lowers a key of the owner, old or new', () => {
    const { apply, size, roster } = founded();
    expect(apply(owner, 'rotate', handOverTo(owner, next, { size: size(owner) + 1, as: asOwner }))).toBe('ok');
    expect(apply(owner, 'enrol', { ...asOwner, enrolment: enrolment(later, asOperator) })).toBe('after_revocation');
    expect(apply(next, 'enrol', { ...asOwner, enrolment: enrolment(later, asOperator) })).toBe('ok');
    const lowered = enrolment(next, { agent_id: 'olga', role: 'agent' });
    expect(apply(operator, 'enrol', { ...asOperator, enrolment: lowered })).toBe('re_enrolled');
    for (const key of [owner, next]) {
      expect(apply(operator, 'revoke', { ...asOperator, revocation: revocation(key, 0) })).toBe('wrong_role');
      expect(apply(next, 'revoke', { ...asOwner, revocation: revocation(key, 0) })).toBe('wrong_role');
    }
    expect(roster().keys.get(next.publicKey)).toMatchObject({ role: 'owner' });
    expect(apply(next, 'revoke', { ...asOwner, revocation: revocation(operator, 0) })).toBe('ok');
  });
});

test("a pass starts with the revocations that are known, after the owner has spoken with the owner's alone", () => {
  const ended = { ...revocation(agent, 1), event: 'sha256:a', by: 'operator', known: true } as const;
  const byOwner = { ...revocation(operator, 1), event: 'sha256:b', by: 'owner', known: false } as const;
  expect(knownAfter([ended], { ...byOwner, by: 'operator' })).toHaveLength(2);
  expect(knownAfter([ended], byOwner)).toEqual([{ ...byOwner, known: true }]);
});

describe('a declared loss', () => {
  const root = Buffer.alloc(32, 7);
  const at = { log: '0'.repeat(16), remembered: { size: 5, root }, holder: asAgent };
  const said = (
    more: Partial<DeclaredLoss['restored']>,
    who: { agent_id: string; role: DeclaredLoss['role'] } = asAgent,
  ) => [{ restored: { log: at.log, size: 5, root: root.toString('base64'), found: 3, ...more }, ...who }];

  test.each([
    ['what is remembered', said({}), true],
    ['a later end', said({ size: 6, root: Buffer.alloc(32).toString('base64') }), true],
    ['an earlier end', said({ size: 4 }), false],
    ['another root', said({ root: Buffer.alloc(32).toString('base64') }), false],
    ['another log', said({ log: '1'.repeat(16) }), false],
    ['by another agent', said({}, asOther), false],
    ['nothing', [], false],
  ])('of %s', (_, declared, expected) => {
    expect(isDeclaredLoss(at, declared)).toBe(expected);
  });

  test('of an operator is not for an agent of the same name to declare', () => {
    const holder = { agent_id: 'ann', role: 'operator' } as const;
    expect(isDeclaredLoss({ ...at, holder }, said({}))).toBe(false);
    expect(isDeclaredLoss({ ...at, holder }, said({}, holder))).toBe(true);
    // Nothing of the log is left, so nobody knows whose it was.
    expect(isDeclaredLoss({ ...at, holder: null }, said({}, asOther))).toBe(true);
  });
});

const caseSchema = z.looseObject({
  input: z.looseObject({
    log_entries: z.array(
      z.looseObject({
        log_index: z.int(),
        record: z.custom<AtribRecord>((value) => typeof value === 'object' && value !== null),
      }),
    ),
  }),
  expected: z.object({
    record_hashes: z.record(z.string(), z.string()),
    verification_states: z.record(z.string(), z.enum(['signature_valid', 'revoked_after_revocation'])),
  }),
});

describe('atrib 1.9', () => {
  const cases = ['pre-revocation-record', 'post-revocation-record'];

  test.each(cases)('%s: the state of each record by its place in the log', (name) => {
    const { input, expected } = vector(`1.9/cases/${name}.json`, caseSchema);
    const ends = input.log_entries.flatMap(({ log_index, record }) =>
      record.event_type === KEY_REVOCATION ? [{ key: record.revoked_key ?? '', size: log_index + 1 }] : [],
    );
    const states = input.log_entries.map(({ log_index: seq, record }) => {
      expect(recordHash(record)).toBe(expected.record_hashes[seq]);
      if (!verifySignature(record)) return [`${seq}`, 'signature_invalid'];
      const isAfter = isAfterRevocation(ends, { key: record.creator_key, seq });
      return [`${seq}`, isAfter ? 'revoked_after_revocation' : 'signature_valid'];
    });
    expect(Object.fromEntries(states)).toEqual(expected.verification_states);
    expect(Object.values(expected.verification_states)).toContain('revoked_after_revocation');
  });

  test('all cases were run', () => {
    const listed = vector('1.9/manifest.json', z.looseObject({ cases: z.array(z.looseObject({ name: z.string() })) }));
    expect(listed.cases.map(({ name }) => name)).toEqual(cases);
    console.log(`figure: atrib vectors 1.9: ${cases.length} cases`);
  });
});

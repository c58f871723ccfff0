/** Who may take a record back, from whom, and what stands then. */
import { describe, expect, test } from 'vitest';
import {
  applyEvent,
  type EventDraft,
  emptyRoster,
  handOver,
  knownAfter,
  type Roster,
  type SidecarFacts,
  type Signer,
  type WriterTail,
} from '../../src/ledger/index.ts';
import { testEvent, testSigner } from './support.ts';

const owner = testSigner(1);
const operator = testSigner(2);
const agent = testSigner(3);
const recovery = testSigner(4);
const next = testSigner(5);
const thief = testSigner(6);
const other = testSigner(7);

const asOwner = { agent_id: 'olga', role: 'owner' } as const;
const asOperator = { agent_id: 'otto', role: 'operator' } as const;
const asAgent = { agent_id: 'ann', role: 'agent' } as const;
const asReviewer = { agent_id: 'rita', role: 'reviewer' } as const;
const asRecovery = { agent_id: 'olga', role: 'recovery' } as const;

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
  const owners = () =>
    [...roster.keys.values()].flatMap(({ key, role }) => (role === 'owner' && !roster.revocations.has(key) ? key : []));
  return { apply, size, owners, roster: () => roster };
}

function enrolment({ publicKey: key }: Signer, as: { readonly agent_id: string; readonly role: SidecarFacts['role'] }) {
  return { key, agent_id: as.agent_id, role: as.role, protection: 'none' } as const;
}

/** Owner, recovery key, an operator and an agent. */
function founded() {
  const told = story();
  told.apply(owner, 'init', asOwner);
  told.apply(owner, 'enrol', { ...asOwner, enrolment: enrolment(recovery, asRecovery) });
  told.apply(owner, 'enrol', { ...asOwner, enrolment: enrolment(operator, asOperator) });
  expect(told.apply(agent, 'save', { ...asAgent, enrolment: enrolment(agent, asAgent) })).toBe('ok');
  return told;
}

interface Told {
  readonly from?: Signer;
  readonly size?: number;
  readonly to?: Signer;
}

function takesBack({ from = owner, size = 3, to = next }: Told = {}) {
  return {
    ...asRecovery,
    enrolment: enrolment(to, asOwner),
    revocation: { ...handOver(from.publicKey, { size, successor: to }), reason: 'compromise' as const },
  };
}

describe('recover', () => {
  test('puts a new owner in the place of the old one, which signs nothing from the stated size on', () => {
    const { apply, owners } = founded();
    expect(apply(recovery, 'recover', takesBack())).toBe('ok');
    expect(owners()).toEqual([next.publicKey]);
    expect(apply(owner, 'enrol', { ...asOwner, enrolment: enrolment(thief, asOperator) })).toBe('after_revocation');
    expect(apply(next, 'enrol', { ...asOwner, enrolment: enrolment(thief, asOperator) })).toBe('ok');
    // The recovery key stays what it is, and works once more.
    expect(apply(recovery, 'recover', takesBack({ from: next, size: 1, to: other }))).toBe('ok');
    expect(owners()).toEqual([other.publicKey]);
  });

  test.each([
    ['an agent', agent, asAgent],
    ['an operator', operator, asOperator],
    ['the owner', owner, asOwner],
    ['the owner, in the role of the recovery key', owner, asRecovery],
    ['a stranger', thief, asRecovery],
  ] as const)('by %s does not count', (_, signer, as) => {
    const { apply, roster } = founded();
    const before = roster();
    expect(apply(signer, 'recover', { ...takesBack(), ...as })).not.toBe('ok');
    expect(roster()).toBe(before);
    expect(apply(recovery, 'recover', takesBack())).toBe('ok');
  });

  test('by a reviewer does not count', () => {
    const { apply } = founded();
    apply(owner, 'enrol', { ...asOwner, enrolment: enrolment(other, asReviewer) });
    expect(apply(other, 'recover', { ...takesBack(), ...asReviewer })).toBe('wrong_role');
  });

  const { proof: _, ...unproved } = takesBack().revocation;
  test.each([
    ['no word of the new key', { revocation: unproved }, 'bad_revocation'],
    [
      "the new key's word to another",
      { revocation: { ...takesBack({ from: other }).revocation, key: owner.publicKey } },
      'bad_revocation',
    ],
    [
      'the reason of a rotation',
      { revocation: handOver(owner.publicKey, { size: 3, successor: next }) },
      'bad_revocation',
    ],
    ['a new key that is enrolled', takesBack({ to: operator }), 're_enrolled'],
    ['the old key as the new one', takesBack({ to: owner }), 're_enrolled'],
    ["an operator's key to end", takesBack({ from: operator, size: 0 }), 'bad_revocation'],
    ['a key to end that nobody enrolled', takesBack({ from: other, size: 0 }), 'bad_revocation'],
    [
      'an operator in the place of the owner',
      { enrolment: enrolment(next, { ...asOwner, role: 'operator' }) },
      'wrong_role',
    ],
    ['an owner of another name', { enrolment: enrolment(next, { agent_id: 'oscar', role: 'owner' }) }, 'wrong_role'],
    ['another key than it names', { enrolment: enrolment(other, asOwner) }, 'bad_revocation'],
    ['the event that enrolled the recovery key among what falls', takesBack({ size: 1 }), 'bad_revocation'],
    ['nothing amiss', {}, 'ok'],
    ['the first event after it among what falls', takesBack({ size: 2 }), 'ok'],
  ] as const)('with %s', (_name, change, expected) => {
    const { apply } = founded();
    expect(apply(recovery, 'recover', { ...takesBack(), ...change })).toBe(expected);
  });

  test('leaves no other owner: neither the one a thief handed over to, nor one of before', () => {
    const { apply, size, owners } = founded();
    const handed = {
      enrolment: enrolment(thief, asOwner),
      revocation: handOver(owner.publicKey, { size: 4, successor: thief }),
    };
    expect(apply(owner, 'rotate', { ...asOwner, ...handed })).toBe('ok');
    // From after the hand-over on, the thief would stay.
    expect(apply(recovery, 'recover', takesBack({ size: 4 }))).toBe('bad_revocation');
    expect(apply(recovery, 'recover', takesBack({ from: thief, size: size(thief), to: other }))).toBe('ok');
    expect(owners()).toEqual([other.publicKey]);
    expect(apply(recovery, 'recover', takesBack({ size: 2 }))).toBe('bad_revocation');
  });

  test('from before the hand-over to a thief takes that back as well', () => {
    const { apply, roster } = founded();
    const handed = {
      enrolment: enrolment(thief, asOwner),
      revocation: handOver(owner.publicKey, { size: 4, successor: thief }),
    };
    apply(owner, 'rotate', { ...asOwner, ...handed });
    expect(apply(recovery, 'recover', takesBack({ size: 3 }))).toBe('ok');
    expect(roster().keys.get(next.publicKey)).toMatchObject({ role: 'owner' });
  });
});

describe('the recovery key', () => {
  test.each([
    ['by an operator', operator, asOperator, asRecovery, 'wrong_role'],
    ['for another name than the owner', owner, asOwner, { ...asRecovery, agent_id: 'ann' }, 'bad_enrolment'],
    ['by the owner', owner, asOwner, asRecovery, 'ok'],
  ] as const)('is enrolled %s', (_, signer, as, given, expected) => {
    const { apply } = story();
    apply(owner, 'init', asOwner);
    apply(owner, 'enrol', { ...asOwner, enrolment: enrolment(operator, asOperator) });
    expect(apply(signer, 'enrol', { ...as, enrolment: enrolment(recovery, given) })).toBe(expected);
  });

  test('is one, and nobody ends, replaces or lowers it; nor itself', () => {
    const { apply } = founded();
    expect(apply(owner, 'enrol', { ...asOwner, enrolment: enrolment(thief, asRecovery) })).toBe('re_enrolled');
    expect(
      apply(owner, 'enrol', { ...asOwner, enrolment: enrolment(recovery, { ...asRecovery, role: 'agent' }) }),
    ).toBe('re_enrolled');
    const end = { key: recovery.publicKey, size: 0, reason: 'compromise' } as const;
    expect(apply(owner, 'revoke', { ...asOwner, revocation: end })).toBe('wrong_role');
    expect(apply(operator, 'revoke', { ...asOperator, revocation: end })).toBe('wrong_role');
    expect(apply(recovery, 'revoke', { ...asRecovery, revocation: { ...end, size: 1 } })).toBe('wrong_role');
    const handed = {
      enrolment: enrolment(other, asRecovery),
      revocation: handOver(recovery.publicKey, { size: 2, successor: other }),
    };
    expect(apply(recovery, 'rotate', { ...asRecovery, ...handed })).toBe('wrong_role');
    expect(apply(recovery, 'recover', takesBack())).toBe('ok');
  });

  test('counts although somebody named it before it was enrolled: as an agent, or as ended', () => {
    const { apply } = story();
    apply(owner, 'init', asOwner);
    apply(owner, 'enrol', { ...asOwner, enrolment: enrolment(operator, asOperator) });
    apply(operator, 'enrol', { ...asOperator, enrolment: enrolment(recovery, asAgent) });
    const end = { key: recovery.publicKey, size: 0, reason: 'compromise' } as const;
    expect(apply(operator, 'revoke', { ...asOperator, revocation: end })).toBe('ok');
    expect(apply(owner, 'enrol', { ...asOwner, enrolment: enrolment(recovery, asRecovery) })).toBe('ok');
    expect(apply(recovery, 'recover', takesBack())).toBe('ok');
  });

  test.each(['agent', 'operator', 'owner', 'recovery'] as const)('signs nothing else, in role %s', (role) => {
    const { apply } = founded();
    expect(apply(recovery, 'save', { ...asRecovery, role })).toBe('wrong_role');
    expect(apply(recovery, 'enrol', { ...asRecovery, role, enrolment: enrolment(thief, asOperator) })).toBe(
      'wrong_role',
    );
    expect(apply(recovery, 'recover', { ...takesBack(), role })).toBe(role === 'recovery' ? 'ok' : 'wrong_role');
  });
});

test('after the recovery key has spoken a pass starts with its own revocations alone', () => {
  const byOwner = { key: 'k', size: 1, reason: 'compromise', event: 'sha256:a', by: 'owner', known: true } as const;
  const met = { ...byOwner, event: 'sha256:b', by: 'recovery', known: false } as const;
  expect(knownAfter([byOwner], met)).toEqual([{ ...met, known: true }]);
  expect(knownAfter([{ ...met, known: true }], { ...byOwner, known: false })).toHaveLength(2);
});

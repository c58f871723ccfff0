import { expect, test } from 'vitest';
import {
  applyEvent,
  type EventDraft,
  type EventEnvelope,
  emptyRoster,
  type Roster,
  type SidecarFacts,
  type Signer,
  type WriterTail,
} from '../../src/ledger/index.ts';
import { testEvent, testSigner } from './support.ts';

const owner = testSigner(1);
const operator = testSigner(2);
const agent = testSigner(3);
const stranger = testSigner(4);

type Role = SidecarFacts['role'];

/** Applies events in turn and remembers each log's tail. */
function story() {
  let roster: Roster = emptyRoster(owner.publicKey);
  let pos = -1;
  const tails = new Map<string, WriterTail>();
  function apply(signer: Signer, verb: EventDraft['verb'], local: SidecarFacts, change?: Partial<EventEnvelope>) {
    const tail = tails.get(signer.publicKey);
    const event = testEvent({ signer, draft: { verb, local }, ...(tail && { tail }) });
    tails.set(signer.publicKey, event.tail);
    pos += 1;
    const verdict = applyEvent(roster, { record: event.record, _local: event.local, ...change }, pos);
    if (!verdict.ok) expect(verdict.roster).toBe(roster);
    roster = verdict.roster;
    return verdict.ok ? 'ok' : verdict.code;
  }
  return { apply, roster: () => roster };
}

function enrolment(signer: Signer, agent_id: string, role: Role) {
  return { key: signer.publicKey, agent_id, role, protection: 'none' } as const;
}

const asOwner = { agent_id: 'olga', role: 'owner' } as const;
const asOperator = { agent_id: 'otto', role: 'operator' } as const;
const asAgent = { agent_id: 'ann', role: 'agent' } as const;

/** Owner, an operator and an agent, enrolled as they should be. */
function founded() {
  const told = story();
  expect(told.apply(owner, 'init', asOwner)).toBe('ok');
  expect(told.apply(owner, 'enrol', { ...asOwner, enrolment: enrolment(operator, 'otto', 'operator') })).toBe('ok');
  expect(told.apply(agent, 'save', { ...asAgent, enrolment: enrolment(agent, 'ann', 'agent') })).toBe('ok');
  return told;
}

test('owner, operator and agent are enrolled each in their way, with role and position', () => {
  const { apply, roster } = founded();
  expect(apply(agent, 'save', asAgent)).toBe('ok');
  expect(apply(operator, 'propose', asOperator)).toBe('ok');
  const facts = [...roster().keys.values()].map(({ key, role, since }) => ({ key, role, since }));
  expect(facts).toEqual([
    { key: owner.publicKey, role: 'owner', since: 0 },
    { key: operator.publicKey, role: 'operator', since: 1 },
    { key: agent.publicKey, role: 'agent', since: 2 },
  ]);
  expect(roster().keys.get(agent.publicKey)).toMatchObject({ agent_id: 'ann', protection: 'none' });
});

test('an agent cannot enrol an operator; an operator can', () => {
  const { apply, roster } = founded();
  const plot = { enrolment: enrolment(stranger, 'eve', 'operator') };
  expect(apply(agent, 'enrol', { ...asAgent, ...plot })).toBe('wrong_role');
  expect(roster().keys.has(stranger.publicKey)).toBe(false);
  expect(apply(agent, 'enrol', { ...asAgent, role: 'operator', ...plot })).toBe('wrong_role');
  expect(apply(operator, 'enrol', { ...asOperator, ...plot })).toBe('ok');
  expect(roster().keys.get(stranger.publicKey)?.role).toBe('operator');
});

test.each<[Role]>([['operator'], ['reviewer'], ['owner']])('a key cannot enrol itself as %s, only as agent', (role) => {
  const { apply } = founded();
  expect(apply(stranger, 'enrol', { agent_id: 'eve', role, enrolment: enrolment(stranger, 'eve', role) })).toBe(
    'wrong_role',
  );
  const fresh = testSigner(5);
  const asFresh = { agent_id: 'eve', role: 'agent', enrolment: enrolment(fresh, 'eve', 'agent') } as const;
  expect(apply(fresh, 'enrol', asFresh)).toBe('ok');
});

test('a self-enrolment as agent that acts in a higher role leaves nothing behind', () => {
  const { apply, roster } = founded();
  const local = { agent_id: 'eve', enrolment: enrolment(stranger, 'eve', 'agent') };
  expect(apply(stranger, 'enrol', { ...local, role: 'operator' })).toBe('wrong_role');
  expect(roster().keys.has(stranger.publicKey)).toBe(false);
});

test('a key cannot enrol itself again, nor be enrolled for another agent', () => {
  const { apply, roster } = founded();
  expect(apply(agent, 'save', { agent_id: 'bob', role: 'agent', enrolment: enrolment(agent, 'bob', 'agent') })).toBe(
    're_enrolled',
  );
  expect(apply(operator, 'enrol', { ...asOperator, enrolment: enrolment(agent, 'bob', 'agent') })).toBe('re_enrolled');
  expect(apply(operator, 'enrol', { ...asOperator, enrolment: enrolment(owner, 'olga', 'agent') })).toBe('re_enrolled');
  expect(apply(operator, 'enrol', { ...asOperator, enrolment: enrolment(operator, 'otto', 'operator') })).toBe(
    're_enrolled',
  );
  expect(roster().keys.get(agent.publicKey)?.agent_id).toBe('ann');
  expect(apply(operator, 'enrol', { ...asOperator, enrolment: enrolment(agent, 'ann', 'reviewer') })).toBe('ok');
  expect(roster().keys.get(agent.publicKey)).toMatchObject({ role: 'reviewer', since: 2 });
});

test('only the first record of a log enrols its own key', () => {
  const { apply } = founded();
  const asEve = { agent_id: 'eve', role: 'agent' } as const;
  expect(apply(stranger, 'save', asEve)).toBe('unknown_key');
  expect(apply(stranger, 'save', { ...asEve, enrolment: enrolment(stranger, 'eve', 'agent') })).toBe('not_first');
});

test('events of an unknown key, and by a key for another agent or above its role, do not count', () => {
  const { apply } = founded();
  expect(apply(stranger, 'deny', { agent_id: 'otto', role: 'operator' })).toBe('unknown_key');
  const plot = { enrolment: enrolment(testSigner(6), 'mal', 'operator') };
  expect(apply(stranger, 'enrol', { agent_id: 'otto', role: 'operator', ...plot })).toBe('unknown_key');
  expect(apply(agent, 'save', { agent_id: 'otto', role: 'agent' })).toBe('wrong_agent');
  expect(apply(agent, 'save', { agent_id: 'ann', role: 'operator' })).toBe('wrong_role');
  expect(apply(operator, 'save', { agent_id: 'otto', role: 'agent' })).toBe('ok');
  expect(apply(agent, 'save', asAgent)).toBe('ok');
});

test("init is the owner's and happens once", () => {
  const { apply } = story();
  expect(apply(stranger, 'init', { agent_id: 'eve', role: 'owner' })).toBe('wrong_role');
  expect(apply(owner, 'save', { ...asAgent, enrolment: enrolment(owner, 'ann', 'agent') })).toBe('re_enrolled');
  expect(apply(owner, 'save', asOwner)).toBe('unknown_key');
  expect(apply(owner, 'init', { ...asOwner, enrolment: enrolment(stranger, 'eve', 'operator') })).toBe('bad_enrolment');
  expect(apply(owner, 'init', { ...asOwner, enrolment: enrolment(owner, 'olga', 'owner') })).toBe('ok');
  expect(apply(owner, 'init', asOwner)).toBe('re_enrolled');
});

test('an enrolment stands in an enrol event and an enrol event holds one', () => {
  const { apply } = founded();
  const target = { enrolment: enrolment(stranger, 'eve', 'agent') };
  expect(apply(operator, 'enrol', asOperator)).toBe('bad_enrolment');
  expect(apply(operator, 'save', { ...asOperator, ...target })).toBe('bad_enrolment');
  expect(apply(operator, 'enrol', { ...asOperator, enrolment: enrolment(stranger, 'eve', 'owner') })).toBe(
    'wrong_role',
  );
  expect(apply(operator, 'enrol', { ...asOperator, ...target })).toBe('ok');
});

test('protect changes the protection of the signing key alone', () => {
  const { apply, roster } = founded();
  expect(apply(operator, 'protect', { ...asOperator, protection: 'scrypt' })).toBe('ok');
  expect(roster().keys.get(operator.publicKey)?.protection).toBe('scrypt');
  expect(roster().keys.get(agent.publicKey)?.protection).toBe('none');
  expect(apply(stranger, 'protect', { agent_id: 'eve', role: 'agent', protection: 'scrypt' })).toBe('unknown_key');
});

test('authority needs proof: an edited sidecar or a forged signature enrols nobody', () => {
  const { apply, roster } = founded();
  const honest = testEvent({
    signer: operator,
    draft: { verb: 'enrol', local: { ...asOperator, enrolment: enrolment(testSigner(6), 'rae', 'reviewer') } },
  });
  const edited = { ...honest.local, enrolment: enrolment(stranger, 'eve', 'operator') };
  const verdict = (envelope: EventEnvelope) => {
    const result = applyEvent(roster(), envelope, 9);
    return result.ok ? 'ok' : result.code;
  };
  expect(verdict({ record: honest.record, _local: edited })).toBe('unproven');
  expect(verdict({ record: { ...honest.record, timestamp: 1 }, _local: honest.local })).toBe('unproven');
  expect(verdict({ record: honest.record })).toBe('sidecar_missing');
  expect(verdict({ record: honest.record, _local: honest.local })).toBe('ok');
  expect(apply(agent, 'save', asAgent)).toBe('ok');
});

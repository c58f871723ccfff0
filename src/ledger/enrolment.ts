/**
 * Who may sign what: a pure state machine over the events of a repository in their total order.
 *
 * It knows keys and the roles they were given. Whether a role suffices for a verb is not decided here.
 */
import { checkEnvelope } from './read-event.ts';
import { verifySignature } from './record.ts';
import { recoverOwner } from './recovering.ts';
import { isAfterRevocation } from './revocation.ts';
import { revokeKey, rotateKey } from './revoking.ts';
import {
  accept,
  type EnrolmentVerdict,
  enrolled,
  invalid,
  type PlacedEvent,
  RANK,
  type Roster,
  type RosterKey,
  recoveryKeyOf,
  withKey,
} from './roster.ts';
import type { Enrolment, EventEnvelope, Sidecar, Verb } from './types.ts';

/**
 * The roster after an event, and whether the event is one its key may have signed. An invalid event changes nothing.
 *
 * Events that would change the roster are proved here once more (sidecar against record, signature), so that a caller
 * who forgot cannot hand out authority. For all others the caller has checked both.
 */
export function applyEvent(roster: Roster, envelope: EventEnvelope, pos: number): EnrolmentVerdict {
  const { record, _local: sidecar } = envelope;
  if (sidecar === undefined) return invalid(roster, 'sidecar_missing', 'The event has no sidecar');
  const place = { key: record.creator_key, seq: record.waymark?.seq ?? 0 };
  // Nobody ends a recovery key: whoever has the owner key, or a key it enrolled, would else end it first.
  const ends = roster.keys.get(place.key)?.role === 'recovery' ? [] : (roster.revocations.get(place.key) ?? []);
  if (isAfterRevocation(ends, place)) {
    return invalid(
      roster,
      'after_revocation',
      `The key "${place.key}" was ended before record ${place.seq} of its log`,
    );
  }
  const changes = sidecar.enrolment !== undefined || sidecar.revocation !== undefined || ROSTER_VERBS.has(sidecar.verb);
  if (changes && !(isBoundOrErased(envelope) && verifySignature(record))) {
    return invalid(roster, 'unproven', `The ${sidecar.verb} event is not as it was signed`);
  }
  const event = { record, sidecar, pos };
  const isEnd = sidecar.verb === 'revoke' || sidecar.verb === 'rotate' || sidecar.verb === 'recover';
  if (sidecar.revocation !== undefined && !isEnd) {
    return invalid(roster, 'bad_revocation', `A "${sidecar.verb}" event ends no key`);
  }
  if (sidecar.verb === 'init') return applyInit(roster, event);
  const selfEnrolled = !isEnd && sidecar.enrolment?.key === record.creator_key ? enrolSelf(roster, event) : null;
  if (selfEnrolled?.ok === false) return selfEnrolled;
  const current = selfEnrolled?.roster ?? roster;
  const key = current.keys.get(record.creator_key);
  if (key === undefined) return invalid(roster, 'unknown_key', `No event enrols the key "${record.creator_key}"`);
  const fault = identityFault(current, { key, sidecar });
  // The roster as it came: an event that speaks for another must not leave its own enrolment behind.
  if (fault !== null) return { ...fault, roster };
  if (selfEnrolled !== null) return selfEnrolled;
  if (sidecar.verb === 'rotate') return rotateKey(roster, { ...event, key });
  if (sidecar.verb === 'recover') return recoverOwner(roster, { ...event, key });
  if (sidecar.verb === 'revoke') return revokeKey(roster, { ...event, key });
  if (sidecar.verb === 'enrol' || sidecar.enrolment !== undefined) return enrolOther(roster, { ...event, key });
  if (sidecar.verb !== 'protect') return { ok: true, roster, key };
  return accept(roster, { ...key, protection: sidecar.protection ?? 'scrypt' });
}

const ROSTER_VERBS: ReadonlySet<Verb> = new Set(['init', 'enrol', 'protect', 'revoke', 'rotate', 'recover']);

function applyInit(roster: Roster, event: PlacedEvent): EnrolmentVerdict {
  const { record, sidecar } = event;
  const { creator_key: key } = record;
  if (key !== roster.ownerKey) return invalid(roster, 'wrong_role', 'Only the owner key may sign "init"');
  if (roster.keys.has(key)) return invalid(roster, 're_enrolled', 'The owner is enrolled already');
  const stated = sidecar.enrolment;
  if (stated !== undefined && (stated.key !== key || stated.role !== 'owner')) {
    return invalid(roster, 'bad_enrolment', '"init" enrols the owner and nobody else');
  }
  const protection = stated?.protection ?? sidecar.protection ?? 'none';
  const agent_id = stated?.agent_id ?? sidecar.agent_id;
  return accept(roster, enrolled({ ...stated, key, agent_id, role: 'owner', protection }, event));
}

function enrolSelf(roster: Roster, event: PlacedEvent): EnrolmentVerdict {
  const { record, sidecar } = event;
  const enrolment = sidecar.enrolment;
  if (enrolment === undefined) return invalid(roster, 'bad_enrolment', 'The event holds no enrolment');
  if (roster.keys.has(enrolment.key) || enrolment.key === roster.ownerKey) {
    return invalid(roster, 're_enrolled', `The key "${enrolment.key}" cannot enrol itself again`);
  }
  if (enrolment.role !== 'agent') {
    return invalid(roster, 'wrong_role', `A key may enrol itself as agent only, not as ${enrolment.role}`);
  }
  if (record.waymark?.seq !== 0) {
    return invalid(roster, 'not_first', 'A key may enrol itself in the first record of its log only');
  }
  return accept(roster, enrolled(enrolment, event));
}

function enrolOther(roster: Roster, event: PlacedEvent & { readonly key: RosterKey }): EnrolmentVerdict {
  const { sidecar, key: signer } = event;
  const enrolment = sidecar.enrolment;
  if (enrolment === undefined || sidecar.verb !== 'enrol') {
    return invalid(roster, 'bad_enrolment', 'An enrolment belongs into an "enrol" event, and one into each');
  }
  if (signer.role !== 'owner' && signer.role !== 'operator') {
    return invalid(roster, 'wrong_role', `A key of role ${signer.role} cannot enrol another`);
  }
  if (enrolment.role === 'owner') return invalid(roster, 'wrong_role', 'The owner is enrolled by "init" only');
  if (enrolment.role === 'recovery') return enrolRecovery(roster, { ...event, enrolment });
  const known = roster.keys.get(enrolment.key);
  // A successor of the owner is guarded as the first owner is: an operator could else lower its role.
  const isOwner = enrolment.key === roster.ownerKey || known?.role === 'owner' || known?.role === 'recovery';
  if (isOwner || (known !== undefined && known.agent_id !== enrolment.agent_id)) {
    return invalid(roster, 're_enrolled', `The key "${enrolment.key}" is enrolled for another agent`);
  }
  const added = known === undefined ? enrolled(enrolment, event) : withRole(known, enrolment);
  // The verdict is about the signer, not about the key it enrolled.
  return { ok: true, roster: withKey(roster, added), key: signer };
}

/** Of an erased sidecar the record proves nothing any more: then its own key may enrol itself, as anybody's may, and no more. */
function isBoundOrErased(envelope: EventEnvelope): boolean {
  const { record, _local: sidecar } = envelope;
  if (sidecar?.erased_by === undefined) return checkEnvelope(envelope).ok;
  const { enrolment, revocation, verb } = sidecar;
  return enrolment?.key === record.creator_key && revocation === undefined && !ROSTER_VERBS.has(verb);
}

/** The owner gives the record one recovery key, once: whoever steals the owner key later cannot put theirs in its place. */
function enrolRecovery(
  roster: Roster,
  event: PlacedEvent & { readonly key: RosterKey; readonly enrolment: Enrolment },
): EnrolmentVerdict {
  const { key: signer, enrolment } = event;
  if (signer.role !== 'owner') return invalid(roster, 'wrong_role', 'Only the owner enrols a recovery key');
  if (recoveryKeyOf(roster) !== null) return invalid(roster, 're_enrolled', 'The record has its recovery key already');
  // A stranger may have named the key before; only an owner's own key is not to be taken.
  const isOwner = enrolment.key === roster.ownerKey || roster.keys.get(enrolment.key)?.role === 'owner';
  if (isOwner || enrolment.agent_id !== signer.agent_id) {
    return invalid(roster, 'bad_enrolment', 'A recovery key is another key of the owner');
  }
  const name = roster.keys.get(enrolment.key)?.name;
  const added = enrolled({ ...(name !== undefined && { name }), ...enrolment }, event);
  return { ok: true, roster: withKey(roster, added), key: signer };
}

/** An event may speak for its key's agent only, and in no higher role than the key has. */
function identityFault(roster: Roster, event: { readonly key: RosterKey; readonly sidecar: Sidecar }) {
  const { key, sidecar } = event;
  if (sidecar.agent_id !== key.agent_id) {
    return invalid(roster, 'wrong_agent', `The key of "${key.agent_id}" signed an event of "${sidecar.agent_id}"`);
  }
  // For everything else its holder has other keys, which can be ended.
  if (
    (key.role === 'recovery') !== (sidecar.verb === 'recover') ||
    (key.role === 'recovery' && sidecar.role !== key.role)
  ) {
    return invalid(roster, 'wrong_role', 'A recovery key signs that it recovers the record, and nothing else does');
  }
  if ((key.role === 'service') !== (sidecar.role === 'service')) {
    return invalid(roster, 'wrong_role', 'A service key signs as service, and nothing else does');
  }
  if (RANK[sidecar.role] > RANK[key.role]) {
    return invalid(roster, 'wrong_role', `The key of "${key.agent_id}" is ${key.role}, the event says ${sidecar.role}`);
  }
  return null;
}

/** A known key of the same agent, given another role. What the key says of its own protection stands. */
function withRole(known: RosterKey, { role, name }: Enrolment): RosterKey {
  return { ...known, role, ...(name !== undefined && { name }) };
}

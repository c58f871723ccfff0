/** The events that end keys: which count, and the roster after them. */
import { recordHash } from './record.ts';
import { type EffectiveRevocation, isProvedBySuccessor, statesRevocation } from './revocation.ts';
import {
  type EnrolmentFault,
  type EnrolmentVerdict,
  enrolled,
  invalid,
  type PlacedEvent,
  type Roster,
  type RosterKey,
  withKey,
  withRevocation,
} from './roster.ts';
import type { Revocation } from './types.ts';

export type SignedEvent = PlacedEvent & { readonly key: RosterKey };

/** A key hands its agent and role over, and ends with this very record. */
export function rotateKey(roster: Roster, event: SignedEvent): EnrolmentVerdict {
  const { record, sidecar, key } = event;
  const { enrolment, revocation } = sidecar;
  if (enrolment === undefined || revocation === undefined || !statesRevocation(record, revocation)) {
    return invalid(roster, 'bad_revocation', 'A hand-over holds an enrolment and a revocation, as its record says');
  }
  const { successor } = revocation;
  if (!endsWithItself(event, revocation) || revocation.reason !== 'rotation' || successor !== enrolment.key) {
    return invalid(roster, 'bad_revocation', 'A hand-over ends the key that signs it and names its successor');
  }
  if (!isProvedBySuccessor(revocation)) {
    return invalid(roster, 'bad_revocation', `The key "${successor}" did not sign that it takes over`);
  }
  if (roster.keys.has(enrolment.key) || enrolment.key === roster.ownerKey) {
    return invalid(roster, 're_enrolled', `The key "${enrolment.key}" is enrolled already and cannot take over`);
  }
  if (enrolment.agent_id !== key.agent_id || enrolment.role !== key.role) {
    return invalid(roster, 'wrong_role', `A key of ${key.role} "${key.agent_id}" hands over exactly that`);
  }
  const after = withKey(roster, enrolled(enrolment, event));
  return { ok: true, roster: withRevocation(after, effective(event, revocation)), key };
}

/** A key is ended by whoever may. */
export function revokeKey(roster: Roster, event: SignedEvent): EnrolmentVerdict {
  const { record, sidecar, key } = event;
  const { revocation } = sidecar;
  if (revocation === undefined || sidecar.enrolment !== undefined || !statesRevocation(record, revocation)) {
    return invalid(roster, 'bad_revocation', 'A "revoke" event holds one revocation, as its record says');
  }
  const met = effective(event, revocation);
  const isKnown = roster.revocations.get(met.key)?.some((there) => there.event === met.event && there.known) === true;
  const fault = revocationFault(roster, { ...event, revocation, isKnown });
  if (fault !== null) return invalid(roster, fault.code, fault.message);
  return { ok: true, roster: withRevocation(roster, met), key };
}

function revocationFault(
  roster: Roster,
  event: SignedEvent & { readonly revocation: Revocation; readonly isKnown: boolean },
): { readonly code: EnrolmentFault; readonly message: string } | null {
  const { key: signer, revocation, isKnown } = event;
  if (revocation.successor !== undefined) {
    return { code: 'bad_revocation', message: 'Only the key itself names its successor, by "rotate"' };
  }
  const target = roster.keys.get(revocation.key);
  // What an owner key signed founds everything: ended from an earlier record, nobody could say anything any more.
  if (revocation.key === roster.ownerKey || target?.role === 'owner') {
    return { code: 'wrong_role', message: 'A key of the owner ends by its own hand-over only' };
  }
  if (target?.role === 'recovery') return { code: 'wrong_role', message: 'Nobody ends a recovery key' };
  if (revocation.key === signer.key) {
    if (endsWithItself(event, revocation)) return null;
    return { code: 'bad_revocation', message: 'A key ends itself with the record that says so, not before' };
  }
  if (signer.role !== 'owner' && signer.role !== 'operator') {
    return { code: 'wrong_role', message: `A key of role ${signer.role} cannot end another` };
  }
  // By its own effect the key may be unknown in a later pass; the earlier one has looked.
  if (target !== undefined || signer.role === 'owner' || isKnown) return null;
  return { code: 'bad_revocation', message: `No event enrols the key "${revocation.key}" that the revocation ends` };
}

function endsWithItself({ record }: SignedEvent, { key, size }: Revocation): boolean {
  return key === record.creator_key && size === (record.waymark?.seq ?? -1) + 1;
}

/** As it is in effect once its event counts. */
export function effective({ record, key }: SignedEvent, revocation: Revocation): EffectiveRevocation {
  const { key: ended, size, reason, successor } = revocation;
  return {
    key: ended,
    size,
    reason,
    ...(successor !== undefined && { successor }),
    event: recordHash(record),
    by: key.role,
    known: false,
  };
}

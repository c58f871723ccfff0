/** The event by which the recovery key takes the record back (docs/format.md, "Recovery"). */
import { isProvedBySuccessor, statesRevocation } from './revocation.ts';
import { effective, type SignedEvent } from './revoking.ts';
import {
  type EnrolmentFault,
  type EnrolmentVerdict,
  enrolled,
  invalid,
  owesTo,
  type Roster,
  withKey,
  withRevocation,
} from './roster.ts';
import type { Enrolment, Revocation } from './types.ts';

/** Ends an owner key from one of its records on and puts a new owner in its place; no other owner is left. */
export function recoverOwner(roster: Roster, event: SignedEvent): EnrolmentVerdict {
  const { record, sidecar, key } = event;
  const { enrolment, revocation } = sidecar;
  if (enrolment === undefined || revocation === undefined || !statesRevocation(record, revocation)) {
    return invalid(roster, 'bad_revocation', 'A recovery holds an enrolment and a revocation, as its record says');
  }
  const met = effective(event, revocation);
  const isKnown = roster.revocations.get(met.key)?.some((there) => there.event === met.event && there.known) === true;
  const fault = recoveryFault(roster, { ...event, enrolment, revocation, isKnown });
  if (fault !== null) return invalid(roster, fault.code, fault.message);
  return { ok: true, roster: withRevocation(withKey(roster, enrolled(enrolment, event)), met), key };
}

interface Recovery extends SignedEvent {
  readonly enrolment: Enrolment;
  readonly revocation: Revocation;
  readonly isKnown: boolean;
}

function recoveryFault(
  roster: Roster,
  { key: signer, enrolment, revocation, isKnown }: Recovery,
): { readonly code: EnrolmentFault; readonly message: string } | null {
  if (enrolment.role !== 'owner' || enrolment.agent_id !== signer.agent_id) {
    return { code: 'wrong_role', message: 'A recovery enrols an owner, for the agent of the recovery key' };
  }
  if (revocation.reason === 'rotation' || revocation.successor !== enrolment.key || !isProvedBySuccessor(revocation)) {
    return { code: 'bad_revocation', message: 'A recovery names the new owner key, which signed that it takes over' };
  }
  if (roster.keys.has(enrolment.key) || enrolment.key === roster.ownerKey) {
    return { code: 're_enrolled', message: `The key "${enrolment.key}" is enrolled already and cannot take over` };
  }
  // By its own effect the key may be unknown in a later pass; the earlier one has looked.
  if (!isKnown && roster.keys.get(revocation.key)?.role !== 'owner') {
    return { code: 'bad_revocation', message: `The key "${revocation.key}" that the recovery ends is no owner's` };
  }
  if (owesTo(roster, signer.key, revocation)) {
    return { code: 'bad_revocation', message: 'A recovery does not void the enrolment of its own key' };
  }
  if (otherOwners(roster, revocation).length > 0) {
    return { code: 'bad_revocation', message: 'Another owner key would stand beside the new one' };
  }
  return null;
}

/** Owner keys that neither are ended nor fall with what the revocation voids. */
function otherOwners(roster: Roster, revocation: Revocation): readonly string[] {
  const owners = [...roster.keys.values()].filter(({ key, role }) => role === 'owner' && key !== revocation.key);
  return owners.flatMap(({ key }) => (roster.revocations.has(key) || owesTo(roster, key, revocation) ? [] : [key]));
}

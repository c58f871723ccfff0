/**
 * Who may sign what: a pure state machine over the events of a repository in their total order.
 *
 * It knows keys and the roles they were given. Whether a role suffices for a verb is not decided here.
 */
import type { Role } from '../record/principal.ts';
import { checkEnvelope } from './read-event.ts';
import { verifySignature } from './record.ts';
import type { AtribRecord, Enrolment, EventEnvelope, Sidecar } from './types.ts';
import { logNameOf } from './writer.ts';

export interface RosterKey extends Enrolment {
  readonly log: string;
  /** Position of the event that enrolled it. */
  readonly since: number;
  /** Roles in the order given, the first at `since`. */
  readonly roles: readonly { readonly since: number; readonly role: Role | 'owner' }[];
}

export interface Roster {
  /** base64url public key; pinned, never taken from the repository alone. */
  readonly ownerKey: string;
  readonly keys: ReadonlyMap<string, RosterKey>;
}

export type EnrolmentFault =
  /** Signed by a key nobody enrolled. */
  | 'unknown_key'
  /** The signer's role does not allow what the event says: enrolling, or acting in that role. */
  | 'wrong_role'
  /** The key was enrolled before, for another agent, by itself or as owner. */
  | 're_enrolled'
  /** The event speaks for another agent than its key's. */
  | 'wrong_agent'
  /** A key may enrol itself only in the first record of its log. */
  | 'not_first'
  /** `enrol` without an enrolment, or an enrolment where none belongs. */
  | 'bad_enrolment'
  /** The sidecar is gone, so the event says nothing that could count. */
  | 'sidecar_missing'
  /** Record, sidecar or signature do not belong together. */
  | 'unproven';

export type EnrolmentVerdict =
  | { readonly ok: true; readonly roster: Roster; readonly key: RosterKey }
  | { readonly ok: false; readonly roster: Roster; readonly code: EnrolmentFault; readonly message: string };

/** The roster before any event. */
export function emptyRoster(ownerKey: string): Roster {
  return { ownerKey, keys: new Map() };
}

/** The role a key had at a position of the total order, `null` when it had none. */
export function roleAt(roster: Roster, at: { readonly key: string; readonly pos: number }): Role | 'owner' | null {
  return roster.keys.get(at.key)?.roles.findLast((given) => given.since <= at.pos)?.role ?? null;
}

/**
 * The roster after an event, and whether the event is one its key may have signed. An invalid event changes nothing.
 *
 * Events that would change the roster are proved here once more (sidecar against record, signature), so that a caller
 * who forgot cannot hand out authority. For all others the caller has checked both.
 */
export function applyEvent(roster: Roster, envelope: EventEnvelope, pos: number): EnrolmentVerdict {
  const { record, _local: sidecar } = envelope;
  if (sidecar === undefined) return invalid(roster, 'sidecar_missing', 'The event has no sidecar');
  const changes = sidecar.enrolment !== undefined || ['init', 'enrol', 'protect'].includes(sidecar.verb);
  if (changes && !(checkEnvelope(envelope).ok && verifySignature(record))) {
    return invalid(roster, 'unproven', `The ${sidecar.verb} event is not as it was signed`);
  }
  const event = { record, sidecar, pos };
  if (sidecar.verb === 'init') return applyInit(roster, event);
  const selfEnrolled = sidecar.enrolment?.key === record.creator_key ? enrolSelf(roster, event) : null;
  if (selfEnrolled?.ok === false) return selfEnrolled;
  const current = selfEnrolled?.roster ?? roster;
  const key = current.keys.get(record.creator_key);
  if (key === undefined) return invalid(roster, 'unknown_key', `No event enrols the key "${record.creator_key}"`);
  const fault = identityFault(current, { key, sidecar });
  // The roster as it came: an event that speaks for another must not leave its own enrolment behind.
  if (fault !== null) return { ...fault, roster };
  if (selfEnrolled !== null) return selfEnrolled;
  if (sidecar.verb === 'enrol' || sidecar.enrolment !== undefined) return enrolOther(roster, { ...event, key });
  if (sidecar.verb !== 'protect') return { ok: true, roster, key };
  return accept(roster, { ...key, protection: sidecar.protection ?? 'scrypt' });
}

interface PlacedEvent {
  readonly record: AtribRecord;
  readonly sidecar: Sidecar;
  readonly pos: number;
}

function applyInit(roster: Roster, event: PlacedEvent): EnrolmentVerdict {
  const { record, sidecar, pos } = event;
  const { creator_key: key } = record;
  if (key !== roster.ownerKey) return invalid(roster, 'wrong_role', 'Only the owner key may sign "init"');
  if (roster.keys.has(key)) return invalid(roster, 're_enrolled', 'The owner is enrolled already');
  const stated = sidecar.enrolment;
  if (stated !== undefined && (stated.key !== key || stated.role !== 'owner')) {
    return invalid(roster, 'bad_enrolment', '"init" enrols the owner and nobody else');
  }
  const protection = stated?.protection ?? sidecar.protection ?? 'none';
  const agent_id = stated?.agent_id ?? sidecar.agent_id;
  return accept(roster, enrolled({ ...stated, key, agent_id, role: 'owner', protection }, pos));
}

function enrolSelf(roster: Roster, event: PlacedEvent): EnrolmentVerdict {
  const { record, sidecar, pos } = event;
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
  return accept(roster, enrolled(enrolment, pos));
}

function enrolOther(roster: Roster, event: PlacedEvent & { readonly key: RosterKey }): EnrolmentVerdict {
  const { sidecar, key: signer, pos } = event;
  const enrolment = sidecar.enrolment;
  if (enrolment === undefined || sidecar.verb !== 'enrol') {
    return invalid(roster, 'bad_enrolment', 'An enrolment belongs into an "enrol" event, and one into each');
  }
  if (signer.role !== 'owner' && signer.role !== 'operator') {
    return invalid(roster, 'wrong_role', `A key of role ${signer.role} cannot enrol another`);
  }
  if (enrolment.role === 'owner') return invalid(roster, 'wrong_role', 'The owner is enrolled by "init" only');
  const known = roster.keys.get(enrolment.key);
  if (enrolment.key === roster.ownerKey || (known !== undefined && known.agent_id !== enrolment.agent_id)) {
    return invalid(roster, 're_enrolled', `The key "${enrolment.key}" is enrolled for another agent`);
  }
  const added = known === undefined ? enrolled(enrolment, pos) : withRole(known, { enrolment, pos });
  // The verdict is about the signer, not about the key it enrolled.
  return { ok: true, roster: withKey(roster, added), key: signer };
}

/** An event may speak for its key's agent only, and in no higher role than the key has. */
function identityFault(roster: Roster, event: { readonly key: RosterKey; readonly sidecar: Sidecar }) {
  const { key, sidecar } = event;
  if (sidecar.agent_id !== key.agent_id) {
    return invalid(roster, 'wrong_agent', `The key of "${key.agent_id}" signed an event of "${sidecar.agent_id}"`);
  }
  if (RANK[sidecar.role] > RANK[key.role]) {
    return invalid(roster, 'wrong_role', `The key of "${key.agent_id}" is ${key.role}, the event says ${sidecar.role}`);
  }
  return null;
}

const RANK: Readonly<Record<Role | 'owner', number>> = { agent: 0, reviewer: 1, operator: 2, owner: 3 };

function enrolled(enrolment: Enrolment, pos: number): RosterKey {
  const { key, agent_id, role, name, protection } = enrolment;
  return {
    key,
    agent_id,
    role,
    ...(name !== undefined && { name }),
    protection,
    log: logNameOf(key),
    since: pos,
    roles: [{ since: pos, role }],
  };
}

/** A known key of the same agent, given another role. What the key says of its own protection stands. */
function withRole(known: RosterKey, given: { readonly enrolment: Enrolment; readonly pos: number }): RosterKey {
  const { role, name } = given.enrolment;
  return {
    ...known,
    role,
    ...(name !== undefined && { name }),
    roles: [...known.roles, { since: given.pos, role }],
  };
}

function accept(roster: Roster, key: RosterKey) {
  return { ok: true, roster: withKey(roster, key), key } as const;
}

function withKey(roster: Roster, key: RosterKey): Roster {
  return { ...roster, keys: new Map(roster.keys).set(key.key, key) };
}

function invalid(roster: Roster, code: EnrolmentFault, message: string) {
  return { ok: false, roster, code, message } as const;
}

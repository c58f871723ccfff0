/** Which keys count at a point of the order, for whom, in which role, and which are ended. Plain data; see `enrolment.ts`. */
import type { Role } from '../record/principal.ts';
import type { EffectiveRevocation } from './revocation.ts';
import type { AtribRecord, Enrolment, Sidecar } from './types.ts';
import { logNameOf } from './writer.ts';

export interface RosterKey extends Enrolment {
  readonly log: string;
  /** Position of the event that enrolled it. */
  readonly since: number;
}

export interface Roster {
  /** base64url public key; pinned, never taken from the repository alone. */
  readonly ownerKey: string;
  readonly keys: ReadonlyMap<string, RosterKey>;
  /** By the key they end. */
  readonly revocations: ReadonlyMap<string, readonly EffectiveRevocation[]>;
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
  /** A revocation that names the wrong key, size or successor, is not what the record says, or belongs elsewhere. */
  | 'bad_revocation'
  /** The signing key was ended before this record of its log. */
  | 'after_revocation'
  /** The sidecar is gone, so the event says nothing that could count. */
  | 'sidecar_missing'
  /** Record, sidecar or signature do not belong together. */
  | 'unproven';

export type EnrolmentVerdict =
  | { readonly ok: true; readonly roster: Roster; readonly key: RosterKey }
  | { readonly ok: false; readonly roster: Roster; readonly code: EnrolmentFault; readonly message: string };

/** An event at its position of the total order. */
export interface PlacedEvent {
  readonly record: AtribRecord;
  readonly sidecar: Sidecar;
  readonly pos: number;
}

export const RANK: Readonly<Record<Role | 'owner', number>> = { agent: 0, reviewer: 1, operator: 2, owner: 3 };

/** The roster before any event. */
export function emptyRoster(ownerKey: string): Roster {
  return { ownerKey, keys: new Map(), revocations: new Map() };
}

/** A key that was not known before. */
export function enrolled(enrolment: Enrolment, pos: number): RosterKey {
  const { key, agent_id, role, name, protection } = enrolment;
  return {
    key,
    agent_id,
    role,
    ...(name !== undefined && { name }),
    protection,
    log: logNameOf(key),
    since: pos,
  };
}

/** The event counts and changes its own key. */
export function accept(roster: Roster, key: RosterKey) {
  return { ok: true, roster: withKey(roster, key), key } as const;
}

export function withKey(roster: Roster, key: RosterKey): Roster {
  return { ...roster, keys: new Map(roster.keys).set(key.key, key) };
}

export function invalid(roster: Roster, code: EnrolmentFault, message: string) {
  return { ok: false, roster, code, message } as const;
}

/** The roster with a revocation in effect; one that is in effect already changes nothing. */
export function withRevocation(roster: Roster, revocation: EffectiveRevocation): Roster {
  const there = roster.revocations.get(revocation.key) ?? [];
  if (there.some(({ event }) => event === revocation.event)) return roster;
  return { ...roster, revocations: new Map(roster.revocations).set(revocation.key, [...there, revocation]) };
}

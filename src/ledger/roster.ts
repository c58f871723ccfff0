/** Which keys count at a point of the order, for whom, in which role, and which are ended. Plain data; see `enrolment.ts`. */
import type { KeyRole } from '../record/principal.ts';
import type { EffectiveRevocation } from './revocation.ts';
import type { AtribRecord, Enrolment, Sidecar } from './types.ts';
import { logNameOf } from './writer.ts';

export interface RosterKey extends Enrolment {
  readonly log: string;
  /** Position of the event that enrolled it. */
  readonly since: number;
  /** Place of that event. */
  readonly origin: { readonly key: string; readonly seq: number };
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

/** A service has no say of its own. */
export const RANK: Readonly<Record<KeyRole, number>> = {
  ...{ service: 0, agent: 0, reviewer: 1, operator: 2 },
  ...{ owner: 3, recovery: 4 },
};

/** The roster before any event. */
export function emptyRoster(ownerKey: string): Roster {
  return { ownerKey, keys: new Map(), revocations: new Map() };
}

/** A key that was not known before. */
export function enrolled(enrolment: Enrolment, { record, pos }: PlacedEvent): RosterKey {
  const { key, agent_id, role, name, protection } = enrolment;
  return {
    key,
    agent_id,
    role,
    ...(name !== undefined && { name }),
    protection,
    log: logNameOf(key),
    since: pos,
    origin: { key: record.creator_key, seq: record.waymark?.seq ?? 0 },
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

/** The recovery key, `null` while there is none. */
export function recoveryKeyOf({ keys }: Pick<Roster, 'keys'>): RosterKey | null {
  return [...keys.values()].find(({ role }) => role === 'recovery') ?? null;
}

/** Whether the key would not be enrolled without an event that the revocation voids. */
export function owesTo(
  roster: Roster,
  publicKey: string,
  { key, size }: Pick<EffectiveRevocation, 'key' | 'size'>,
): boolean {
  let at = roster.keys.get(publicKey);
  while (at !== undefined) {
    const { origin } = at;
    if (origin.key === key && origin.seq >= size) return true;
    // The owner and agents enrol themselves.
    at = origin.key === at.key ? undefined : roster.keys.get(origin.key);
  }
  return false;
}

/** The end of a key: what of its log stands (docs/format.md, "Revocation"; atrib 1.9). */
import type { KeyRole } from '../record/principal.ts';
import { encodeBase64url } from './base64url.ts';
import { verifyBytes } from './ed25519.ts';
import { KEY_REVOCATION } from './event-type.ts';
import type { AtribRecord, Hash, Revocation, Signer } from './types.ts';

/** A revocation in effect. */
export interface EffectiveRevocation extends Revocation {
  /** Record that states it. */
  readonly event: Hash;
  /** Role of its signer: what an owner signed can void what an operator did, and a recovery what an owner did. */
  readonly by: KeyRole;
  /** In effect from the start of a pass, whether or not its own event counts. */
  readonly known: boolean;
}

/** Whether a record stands after the end of its key. */
export function isAfterRevocation(
  revocations: Iterable<Pick<Revocation, 'key' | 'size'>>,
  place: { readonly key: string; readonly seq: number },
): boolean {
  for (const { key, size } of revocations) if (key === place.key && place.seq >= size) return true;
  return false;
}

/** What the next pass begins with after a pass met a revocation that voids what had counted. */
export function knownAfter(
  known: readonly EffectiveRevocation[],
  met: EffectiveRevocation,
): readonly EffectiveRevocation[] {
  const kept = known.filter(({ by }) => weightOf(by) >= weightOf(met.by));
  return [...kept, { ...met, known: true }];
}

/** Whom a revocation can be voided by: nobody of less weight than its signer. */
function weightOf(role: KeyRole): number {
  return role === 'recovery' ? 2 : role === 'owner' ? 1 : 0;
}

/** Members by which a record says it itself, for readers of atrib records alone. */
export function revocationMembers({ key, reason, successor }: Revocation) {
  return {
    revoked_key: key,
    revocation_reason: reason,
    ...(successor !== undefined && { successor_key: successor }),
  };
}

/** Whether type and members of the record say what its sidecar does. */
export function statesRevocation(record: AtribRecord, { key, reason, successor }: Revocation): boolean {
  return (
    record.event_type === KEY_REVOCATION &&
    record.revoked_key === key &&
    record.revocation_reason === reason &&
    record.successor_key === successor
  );
}

/** A revocation by which a key hands over to another, which signs for it. */
export function handOver(key: string, { size, successor }: { readonly size: number; readonly successor: Signer }) {
  const { publicKey } = successor;
  const proof = encodeBase64url(successor.sign(handOverBytes(key, publicKey)));
  return { key, size, reason: 'rotation', successor: publicKey, proof } as const satisfies Revocation;
}

/**
 * Whether the successor itself signed the hand-over. Anybody could else name somebody's key, dated before that key's own
 * enrolment, and so take its log out of the record.
 */
export function isProvedBySuccessor({ key, successor, proof }: Revocation): boolean {
  if (successor === undefined || proof === undefined) return false;
  return verifyBytes({ publicKey: successor, bytes: handOverBytes(key, successor), signature: proof });
}

function handOverBytes(key: string, successor: string): Uint8Array {
  return Buffer.from(`waymark/hand-over\n${key}\n${successor}\n`);
}

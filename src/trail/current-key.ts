/** The key file that counts: one that waits takes its place once the record knows it. */

import type { KeyIdentity, KeyStore, StoredKey } from '../ledger/index.ts';
import { type EffectiveRevocation, isAfterRevocation, logNameOf } from '../ledger/index.ts';
import type { Signer } from '../ledger/types.ts';
import type { Index } from '../store/index/index.ts';

/**
 * - `unknown`: nobody enrolled it yet.
 * - `counts`: it is enrolled for its holder.
 * - `lost`: it was revoked, or is enrolled for somebody else; its holder never signs with it again.
 */
export type KeyStanding = 'unknown' | 'counts' | 'lost';

export function standingOf(index: Index, { publicKey, kind, agent_id }: StoredKey): KeyStanding {
  if (endOf(index, publicKey) !== null) return 'lost';
  const known = index.key(publicKey);
  if (known === null) return 'unknown';
  const isHolders = kind === 'owner' ? known.role === 'owner' : known.agent_id === agent_id;
  return isHolders ? 'counts' : 'lost';
}

/**
 * The key in use, `null` when there is none. Its successor, named by the record in a hand-over or enrolled by an
 * operator, takes its place first: whoever crashed after the hand-over goes on with it.
 *
 * @throws {KeyError} when a key file cannot be used.
 */
export function currentKey(keys: KeyStore, index: Index, identity: KeyIdentity): StoredKey | null {
  const waiting = keys.pending(identity);
  const counts = waiting !== null && standingOf(index, waiting) === 'counts';
  return counts ? keys.takeUp(identity) : keys.find(identity);
}

/** The key that is to follow: the one that waits, or a new one where there is none or that one is lost. */
export function nextKey(
  keys: KeyStore,
  index: Index,
  next: { readonly identity: KeyIdentity; readonly passphrase?: string },
): StoredKey {
  const { identity, passphrase } = next;
  const waiting = keys.pending(identity);
  if (waiting !== null && standingOf(index, waiting) === 'lost') keys.setAside(identity);
  return keys.prepare(identity, passphrase);
}

/** A signer for the owner key, `null` where it is not here, has a passphrase, or is not the owner by this record. */
export function ownerSigner(keys: KeyStore, index: Index, repository: string): Signer | null {
  const owner = currentKey(keys, index, { kind: 'owner', repository });
  return owner !== null && standingOf(index, owner) === 'counts' ? keys.signerOf(owner) : null;
}

/** The revocation after which the key signs nothing that counts, of several the earliest; `null` while it may. */
export function endOf(index: Index, publicKey: string): EffectiveRevocation | null {
  const seq = index.writerTail(logNameOf(publicKey))?.size ?? 0;
  const ends = index.revocationsOf(publicKey).filter((end) => isAfterRevocation([end], { key: publicKey, seq }));
  return ends.reduce<EffectiveRevocation | null>(
    (least, end) => (least !== null && least.size <= end.size ? least : end),
    null,
  );
}

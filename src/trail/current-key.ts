/** The key file that counts: one that waits takes its place once the record knows it. */

import type { KeyIdentity, KeyStore, StoredKey } from '../ledger/index.ts';
import { type EffectiveRevocation, isAfterRevocation, logNameOf } from '../ledger/index.ts';
import type { Index } from '../store/index/index.ts';

/**
 * The key in use, `null` when there is none. Its successor, named by the record in a hand-over or enrolled by an
 * operator, takes its place first: whoever crashed after the hand-over goes on with it.
 *
 * @throws {KeyError} when a key file cannot be used.
 */
export function currentKey(keys: KeyStore, index: Index, identity: KeyIdentity): StoredKey | null {
  const waiting = keys.pending(identity);
  const counts = waiting !== null && index.key(waiting.publicKey) !== null && endOf(index, waiting.publicKey) === null;
  return counts ? keys.takeUp(identity) : keys.find(identity);
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

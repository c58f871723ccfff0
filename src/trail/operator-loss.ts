/** An operator whose log is shorter here than this machine remembers goes on under a new key, if the owner key is here. */
import { type KeyStore, logNameOf, rememberedLogs, type StoredKey } from '../ledger/index.ts';
import type { Signer } from '../ledger/types.ts';
import { lossesOf } from '../store/losses.ts';
import type { Repository } from '../store/repository.ts';
import { isCut, lossWarning } from './agent-signer.ts';
import { currentKey, endOf } from './current-key.ts';
import { enrol } from './enrol.ts';

export interface OperatorSigner {
  readonly signer: Signer;
  readonly warning?: string;
}

/**
 * The signer as it is while its log is whole, or where it cannot be helped: then writing is refused and says what to do.
 * Neither key has a passphrase: one that has is never replaced by one that has none.
 */
export async function goOnAfterLoss(
  request: {
    readonly repository: Repository;
    readonly keys: KeyStore;
    readonly agentId: string;
    readonly seenFolder: string;
    readonly isOnlyClone: () => boolean;
  },
  operator: { readonly stored: StoredKey; readonly signer: Signer },
): Promise<OperatorSigner> {
  const { repository, keys, agentId, seenFolder } = request;
  const { stored, signer } = operator;
  const remembered = rememberedLogs(seenFolder);
  await repository.settleIndex();
  const index = repository.index.reader();
  if (stored.protection !== 'none' || !isCut(index, stored, remembered)) return { signer };
  // A person's key is one for all clones of the machine: another one may hold what is missing here.
  if (!request.isOnlyClone()) return { signer };
  const repositoryId = repository.trust.repositoryId;
  const owner = currentKey(keys, index, { kind: 'owner', repository: repositoryId });
  const ownerSigner = owner === null ? null : keys.signerOf(owner);
  if (owner === null || ownerSigner === null) return { signer };
  if (isCut(index, owner, remembered) || endOf(index, owner.publicKey) !== null) return { signer };
  const holder = { kind: 'operator' as const, repository: repositoryId, agent_id: agentId };
  const next = keys.prepare(holder);
  const enrolment = { key: next.publicKey, agent_id: agentId, role: 'operator' as const, protection: next.protection };
  const as = { agent_id: index.key(owner.publicKey)?.agent_id ?? 'owner', role: 'owner' } as const;
  const enrolled = await enrol({ repository, enrolment, signer: ownerSigner, as });
  if (!enrolled.ok) return { signer };
  const taken = keys.signerOf(keys.takeUp(holder) ?? stored);
  if (taken === null) return { signer };
  const formerLogs = keys.others(holder, taken.publicKey).map(({ publicKey }) => logNameOf(publicKey));
  const losses = lossesOf(index, { logs: formerLogs, seenFolder });
  return { signer: { ...taken, formerLogs }, warning: lossWarning(losses) };
}

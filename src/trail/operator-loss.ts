/** An operator whose log is shorter here than this machine remembers goes on under a new key, if the owner key is here. */
import { type KeyStore, logNameOf, rememberedLogs, type StoredKey } from '../ledger/index.ts';
import type { Signer } from '../ledger/types.ts';
import { lossesOf } from '../store/losses.ts';
import type { Repository } from '../store/repository.ts';
import { isCut, lossWarning } from './agent-signer.ts';
import { nextKey, ownerSigner } from './current-key.ts';
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
  // A person's key is one for all clones of the machine: another one may hold what is missing here.
  if (stored.protection !== 'none' || !request.isOnlyClone()) return { signer };
  const repositoryId = repository.trust.repositoryId;
  const holder = { kind: 'operator' as const, repository: repositoryId, agent_id: agentId };
  const goesOn = (key: Signer): OperatorSigner => {
    const formerLogs = keys.others(holder, key.publicKey).map(({ publicKey }) => logNameOf(publicKey));
    const losses = lossesOf(index, { logs: formerLogs, seenFolder });
    return losses.length === 0 ? { signer: key } : { signer: { ...key, formerLogs }, warning: lossWarning(losses) };
  };
  // Enrolled by an earlier process, which ended before it could say what was lost.
  if (index.writerTail(logNameOf(signer.publicKey)) === null) return goesOn(signer);
  if (!isCut(index, stored, remembered)) return { signer };
  const owner = ownerSigner(keys, index, repositoryId);
  if (owner === null) return { signer };
  const next = nextKey(keys, index, { identity: holder });
  const enrolment = { key: next.publicKey, agent_id: agentId, role: 'operator' as const, protection: next.protection };
  const as = { agent_id: index.key(owner.publicKey)?.agent_id ?? 'owner', role: 'owner' } as const;
  const enrolled = await enrol({ repository, enrolment, signer: owner, as });
  if (!enrolled.ok) return { signer };
  const taken = keys.signerOf(keys.follow(stored));
  return taken === null ? { signer } : goesOn(taken);
}

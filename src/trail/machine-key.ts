/** A key of this machine that signs for others under a name of ours: never an agent's and never a person's. */
import type { Signer } from '../ledger/types.ts';
import { type Outcome, ok, refuse } from '../record/outcome.ts';
import { cloneId } from './clone.ts';
import { currentKey, endOf, ownerSigner, standingOf } from './current-key.ts';
import { enrol } from './enrol.ts';
import type { OpenRecord } from './open.ts';
import { guarded } from './unlock-key.ts';

export interface MachineKey {
  readonly role: 'reviewer' | 'service';
  readonly agent_id: string;
  /** For whom it signs, as in "The key of WHOM on this machine". */
  readonly whom: string;
}

/**
 * Makes the key of this clone on first use. Where the owner key lies unprotected it is enrolled by use, as the first
 * operator is, unless such a key was ever revoked; elsewhere an operator enrols it. Code `authority` until then.
 */
export async function machineSigner(
  { repository, keys }: Pick<OpenRecord, 'repository' | 'keys'>,
  { role, agent_id, whom }: MachineKey,
): Promise<Outcome<Signer>> {
  await repository.settleIndex();
  const { repositoryId } = repository.trust;
  const index = repository.index.reader();
  const identity = { kind: role, repository: repositoryId, agent_id, clone: cloneId(repository.root) };
  const found = guarded(() => {
    const key = currentKey(keys, index, identity) ?? keys.create(identity);
    return ok({ key, signer: keys.signerOf(key), owner: ownerSigner(keys, index, repositoryId) });
  });
  if (!found.ok) return found;
  const { key, signer, owner } = found.value;
  const standing = standingOf(index, key);
  if (standing === 'counts' && index.key(key.publicKey)?.role === role && signer !== null) return ok(signer);
  const others = index.keys().filter((other) => other.agent_id === agent_id && other.role === role);
  const isRevoked = others.some((other) => endOf(index, other.key) !== null);
  if (standing !== 'unknown' || isRevoked || owner === null || signer === null) {
    const state = standing === 'lost' ? 'does not count any more' : `is not enrolled as ${role}`;
    return refuse('authority', `The key of ${whom} on this machine ${state}`, {
      next: `An operator runs "waymark key enrol ${key.publicKey} --agent ${agent_id} --role ${role}"`,
    });
  }
  const enrolment = { key: key.publicKey, agent_id, role, protection: 'none' } as const;
  const as = { agent_id: index.key(owner.publicKey)?.agent_id ?? 'owner', role: 'owner' } as const;
  const done = await enrol({ repository, enrolment, signer: owner, as });
  return done.ok ? ok(signer) : done;
}

/** A key of this machine that signs for others under a name of ours: never an agent's and never a person's. */
import { logNameOf, rememberedLogs, type StoredKey } from '../ledger/index.ts';
import type { Signer } from '../ledger/types.ts';
import { type Outcome, ok, refuse } from '../record/outcome.ts';
import { isCut } from './agent-signer.ts';
import { cloneId } from './clone.ts';
import { currentKey, endOf, nextKey, ownerSigner, standingOf } from './current-key.ts';
import { enrol } from './enrol.ts';
import type { OpenRecord } from './open.ts';
import { guarded } from './unlock-key.ts';

export type MachineRecord = Pick<OpenRecord, 'repository' | 'keys' | 'seenFolder'>;

export interface MachineKey {
  readonly role: 'reviewer' | 'service';
  readonly agent_id: string;
  /** For whom it signs, as in "The key of WHOM on this machine". */
  readonly whom: string;
}

/**
 * Makes the key of this clone on first use, and the next one when it was revoked or an older copy of the record lacks what
 * it signed. Where the owner key lies unprotected it is enrolled by use, as the first operator is, unless such a key was
 * ever revoked; elsewhere an operator enrols it. Code `authority` until then.
 */
export async function machineSigner(record: MachineRecord, machine: MachineKey): Promise<Outcome<Signer>> {
  const { repository, keys, seenFolder } = record;
  const { role, agent_id, whom } = machine;
  // Before the index is read, as for an agent's key.
  const remembered = rememberedLogs(seenFolder);
  await repository.settleIndex();
  const { repositoryId } = repository.trust;
  const index = repository.index.reader();
  const identity = { kind: role, repository: repositoryId, agent_id, clone: cloneId(repository.root) };
  const found = guarded(() => {
    const stored = currentKey(keys, index, identity) ?? keys.create(identity);
    const isOver = standingOf(index, stored) === 'lost' || isCut(index, stored, remembered);
    const key = isOver ? nextKey(keys, index, { identity }) : stored;
    return ok({ stored, key, isOver, owner: ownerSigner(keys, index, repositoryId) });
  });
  if (!found.ok) return found;
  const { stored, key, isOver, owner } = found.value;
  const signer = () =>
    guarded(() => signing(record, { machine, key: isOver ? keys.follow(stored) : key, clone: identity.clone }));
  const standing = standingOf(index, key);
  if (standing === 'counts' && index.key(key.publicKey)?.role === role) return signer();
  const others = index.keys().filter((other) => other.agent_id === agent_id && other.role === role);
  const isRevoked = others.some((other) => endOf(index, other.key) !== null);
  if (standing !== 'unknown' || isRevoked || owner === null) {
    const state = isOver || standing === 'lost' ? 'does not count any more' : `is not enrolled as ${role}`;
    return refuse('authority', `The key of ${whom} on this machine ${state}`, {
      next: `An operator runs "waymark key enrol ${key.publicKey} --agent ${agent_id} --role ${role}"`,
    });
  }
  const enrolment = { key: key.publicKey, agent_id, role, protection: 'none' } as const;
  const as = { agent_id: index.key(owner.publicKey)?.agent_id ?? 'owner', role: 'owner' } as const;
  const done = await enrol({ repository, enrolment, signer: owner, as });
  return done.ok ? signer() : done;
}

interface Signing {
  readonly machine: MachineKey;
  readonly key: StoredKey;
  readonly clone: string;
}

/** A key that begins its log says first what the ones before it in this clone lost. */
function signing({ repository, keys }: MachineRecord, { machine, key, clone }: Signing): Outcome<Signer> {
  const { role, agent_id, whom } = machine;
  const signer = keys.signerOf(key);
  if (signer === null) {
    return refuse('authority', `The key of ${whom} on this machine is locked`, { next: 'Run "waymark key list"' });
  }
  if (repository.index.reader().writerTail(logNameOf(key.publicKey)) !== null) return ok(signer);
  const holder = { kind: role, repository: repository.trust.repositoryId, agent_id };
  const former = keys.others(holder, key.publicKey).filter((other) => other.clone === clone);
  return ok({ ...signer, formerLogs: former.map(({ publicKey }) => logNameOf(publicKey)) });
}

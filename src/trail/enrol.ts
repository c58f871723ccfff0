/** Enrolment: which public keys count, for which agent and role. */
import { type KeyStore, randomContextId } from '../ledger/index.ts';
import type { Enrolment, Signer } from '../ledger/types.ts';
import { type Outcome, ok, type Refusal, refuse } from '../record/outcome.ts';
import type { KeyRole } from '../record/principal.ts';
import type { Repository } from '../store/repository.ts';
import { endOf, ownerSigner, standingOf } from './current-key.ts';
import { personName } from './person-name.ts';

export interface EnrolRequest {
  readonly repository: Repository;
  readonly enrolment: Enrolment;
  /** The owner's or an operator's. */
  readonly signer: Signer;
  readonly as: { readonly agent_id: string; readonly role: KeyRole };
  /** Refuse when an operator is enrolled by then: two processes may both find none. @default false */
  readonly onlyFirst?: boolean;
}

export async function enrol(request: EnrolRequest): Promise<Outcome<Enrolment>> {
  const { repository, enrolment, signer, as, onlyFirst = false } = request;
  return repository.write<Enrolment>({
    signer,
    ...as,
    decide: async (draft) => {
      const known = draft.index.key(enrolment.key);
      if (endOf(draft.index, enrolment.key) !== null) {
        return refuse('conflict', 'The key was revoked and stays so', { next: 'Make a new key for this agent' });
      }
      if (known !== null && known.agent_id === enrolment.agent_id && known.role === enrolment.role) {
        return ok({ events: [], answer: enrolment });
      }
      if (known !== null && known.agent_id !== enrolment.agent_id) {
        return refuse('conflict', `The key is enrolled for agent "${known.agent_id}"`, {
          next: 'Make a new key for this agent',
        });
      }
      const first = onlyFirst ? draft.index.keys().find((key) => key.role === enrolment.role) : undefined;
      if (first !== undefined) return notFirst(first.agent_id, enrolment.agent_id);
      return ok({
        events: [
          {
            verb: 'enrol',
            informed_by: [],
            context_id: randomContextId(),
            local: { ...as, enrolment },
            files: [],
          },
        ],
        message: `Enrol ${enrolment.agent_id} as ${enrolment.role}`,
        answer: enrolment,
      });
    },
  });
}

/**
 * The first operator of a repository whose unprotected owner key is on this machine is enrolled by use, so that one
 * person can start without ceremony.
 */
export async function enrolFirstOperator(request: {
  readonly repository: Repository;
  readonly keys: KeyStore;
  readonly agentId: string;
}): Promise<Outcome<Signer>> {
  const { repository, keys, agentId } = request;
  const { repositoryId } = repository.trust;
  const index = repository.index.reader();
  // Revoked ones too: somebody who lost the rights does not get them back by use.
  const others = index.keys().filter((key) => key.role === 'operator');
  if (others.length > 0) {
    const found = keys.find({ kind: 'operator', repository: repositoryId, agent_id: agentId });
    const isLost = found !== null && standingOf(index, found) === 'lost';
    const isRevoked = found !== null && endOf(index, found.publicKey) !== null;
    const own = isLost ? undefined : found?.publicKey;
    const shown = own === undefined ? 'Run "waymark key show" to make the key, then ask' : 'Ask';
    const whom = others.find(({ key }) => endOf(index, key) === null)?.agent_id ?? 'the owner';
    const state = isRevoked
      ? 'was revoked'
      : isLost
        ? 'is enrolled for somebody else'
        : 'is not enrolled, and this record has an operator already';
    return refuse('authority', `the key of "${agentId}" ${state}`, {
      next: `${shown} "${whom}" to run "waymark key enrol ${own ?? 'PUBKEY'} --agent ${agentId} --role operator"`,
    });
  }
  const owner = ownerSigner(keys, index, repositoryId);
  if (owner === null) {
    return refuse('authority', 'the owner key of this record is not on this machine, or has a passphrase', {
      next: 'Ask the owner to enrol your key with "waymark key enrol"',
    });
  }
  const key = keys.create({ kind: 'operator', repository: repositoryId, agent_id: agentId });
  const signer = keys.signerOf(key);
  if (signer === null) {
    return refuse('authority', `the operator key of "${agentId}" has a passphrase and is not enrolled`, {
      next: 'Ask the owner to enrol it with "waymark key enrol"',
    });
  }
  const enrolment: Enrolment = {
    key: key.publicKey,
    agent_id: agentId,
    role: 'operator',
    ...(await personName(repository)),
    protection: key.protection,
  };
  const as = { agent_id: index.key(owner.publicKey)?.agent_id ?? 'owner', role: 'owner' } as const;
  const done = await enrol({ repository, enrolment, signer: owner, as, onlyFirst: true });
  return done.ok ? ok(signer) : done;
}

function notFirst(operator: string, agentId: string): Refusal {
  return refuse('authority', `the key of "${agentId}" is not enrolled, and this record has an operator already`, {
    next: `Run "waymark key show", then ask "${operator}" to enrol the key it shows`,
  });
}

/**
 * Who this process is. An operator is whoever holds an enrolled, unlocked operator key; asking for it gives nothing.
 */
import { KeyError, type KeyStore, type StoredKey } from '../ledger/index.ts';
import type { Signer } from '../ledger/types.ts';
import { type Outcome, ok, refuse } from '../record/outcome.ts';
import type { Principal } from '../record/principal.ts';
import type { Repository } from '../store/repository.ts';
import { cloneId } from './clone.ts';
import { enrolFirstOperator } from './enrol.ts';
import { guarded } from './unlock-key.ts';

export const DEFAULT_AGENT_ID = 'local-agent';

export interface IdentityRequest {
  readonly repository: Repository;
  readonly keys: KeyStore;
  readonly agentId: string;
  readonly via: string;
  readonly wantsOperator: boolean;
  /** Asks on the terminal; absent where there is none. */
  readonly askPassphrase?: (key: StoredKey) => Promise<string | null>;
}

export interface Identity {
  readonly principal: Principal;
  readonly signer: () => Promise<Outcome<Signer>>;
  /** Why the process is an agent although it asked to be an operator. */
  readonly notice?: string;
}

export async function resolveIdentity(request: IdentityRequest): Promise<Identity> {
  if (!request.wantsOperator) return agentIdentity(request);
  const operator = await operatorSigner(request);
  if (typeof operator === 'string') return { ...agentIdentity(request), notice: operator };
  const principal: Principal = { agent_id: request.agentId, role: 'operator', via: request.via };
  return { principal, signer: async () => ok(operator) };
}

function agentIdentity({ repository, keys, agentId, via }: IdentityRequest): Identity {
  const principal: Principal = { agent_id: agentId, role: 'agent', via };
  let made: Signer | null = null;
  return {
    principal,
    signer: async () => {
      if (made !== null) return ok(made);
      const clone = cloneId(repository.root);
      return guarded(() => {
        const key = keys.create({ kind: 'agent', repository: repository.trust.repositoryId, agent_id: agentId, clone });
        made = keys.signerOf(key);
        return made === null
          ? refuse('authority', `The key of agent "${agentId}" is locked`, { next: 'Run "waymark key list"' })
          : ok(made);
      });
    },
  };
}

/** The signer, or the sentence that says why there is none. */
async function operatorSigner(request: IdentityRequest): Promise<Signer | string> {
  try {
    return await findOperatorSigner(request);
  } catch (error) {
    // A key file that cannot be used takes the rights away, not the reading.
    if (error instanceof KeyError) return `Not an operator: ${error.message}.`;
    throw error;
  }
}

async function findOperatorSigner(request: IdentityRequest): Promise<Signer | string> {
  const { repository, keys, agentId, askPassphrase } = request;
  await repository.settleIndex();
  const identity = { kind: 'operator' as const, repository: repository.trust.repositoryId, agent_id: agentId };
  const stored = keys.find(identity);
  if (stored === null || !isEnrolled(repository, stored)) {
    const enrolled = await enrolFirstOperator(request);
    return enrolled.ok ? enrolled.value : `Not an operator: ${enrolled.message}. ${enrolled.next}.`;
  }
  const unlocked = keys.signerOf(stored);
  if (unlocked !== null) return unlocked;
  const passphrase = askPassphrase === undefined ? null : await askPassphrase(stored);
  if (passphrase === null) {
    return `Not an operator: the key of "${agentId}" has a passphrase, which is asked on a terminal only. Use "waymark review".`;
  }
  const opened = keys.unlock(stored, passphrase);
  return opened.ok ? opened.signer : `Not an operator: ${opened.message}.`;
}

function isEnrolled(repository: Repository, key: StoredKey): boolean {
  return repository.index.reader().key(key.publicKey)?.role === 'operator';
}

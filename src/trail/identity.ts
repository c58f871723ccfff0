/**
 * Who this process is. An operator is whoever holds an enrolled, unlocked operator key; asking for it gives nothing.
 */
import { KeyError, type KeyStore, type StoredKey } from '../ledger/index.ts';
import type { Signer } from '../ledger/types.ts';
import { type Outcome, ok } from '../record/outcome.ts';
import type { Credential, Principal } from '../record/principal.ts';
import type { Index } from '../store/index/index.ts';
import type { Repository } from '../store/repository.ts';
import { type AgentSigner, agentSigner, isStillGood } from './agent-signer.ts';
import { currentKey, endOf } from './current-key.ts';
import { enrolFirstOperator } from './enrol.ts';
import { goOnAfterLoss, type OperatorSigner } from './operator-loss.ts';

export const DEFAULT_AGENT_ID = 'local-agent';

export interface IdentityRequest {
  readonly repository: Repository;
  readonly keys: KeyStore;
  readonly agentId: string;
  /** Counts instead of `agentId` and of what keys there are. */
  readonly credential?: Credential;
  /** Folder of the checkpoints this machine remembers of the repository. */
  readonly seenFolder: string;
  /** This machine has no other clone of the repository. */
  readonly isOnlyClone: () => boolean;
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
  /** What the next call that succeeds is to say; each is given once. */
  readonly takeWarning: () => string | undefined;
}

export async function resolveIdentity(request: IdentityRequest): Promise<Identity> {
  if (request.credential !== undefined) return credentialIdentity(request, request.credential);
  if (!request.wantsOperator) return agentIdentity(request);
  const operator = await operatorSigner(request);
  if (typeof operator === 'string') return { ...agentIdentity(request), notice: operator };
  const principal: Principal = { agent_id: request.agentId, role: 'operator', via: request.via };
  return { principal, signer: async () => ok(operator.signer), takeWarning: onceOf(operator.warning) };
}

function onceOf(warning: string | undefined): () => string | undefined {
  let left = warning;
  return () => {
    const taken = left;
    left = undefined;
    return taken;
  };
}

/** Whoever it is writes with an agent's key of this clone; what a person decides is signed by the service. */
function credentialIdentity(request: IdentityRequest, credential: Credential): Identity {
  const { agent_id, role, grants, authenticated_by } = credential;
  const principal: Principal = { agent_id, role, via: request.via, grants, authenticated_by };
  return { ...agentIdentity({ ...request, agentId: agent_id }), principal };
}

function agentIdentity(request: IdentityRequest): Identity {
  const principal: Principal = { agent_id: request.agentId, role: 'agent', via: request.via };
  let made: Signer | null = null;
  let making: Promise<Outcome<AgentSigner>> | null = null;
  let warning: string | undefined;
  return {
    principal,
    signer: async () => {
      if (made !== null && isStillGood(made, request)) return ok(made);
      making ??= agentSigner(request).finally(() => {
        making = null;
      });
      const outcome = await making;
      if (!outcome.ok) return outcome;
      // Calls at once sign with the same object, so that they are published together.
      if (made?.publicKey !== outcome.value.signer.publicKey) {
        made = outcome.value.signer;
        warning = outcome.value.warning;
      }
      return ok(made);
    },
    takeWarning: () => {
      const taken = warning;
      warning = undefined;
      return taken;
    },
  };
}

/** The signer, or the sentence that says why there is none. */
async function operatorSigner(request: IdentityRequest): Promise<OperatorSigner | string> {
  try {
    return await findOperatorSigner(request);
  } catch (error) {
    // A key file that cannot be used takes the rights away, not the reading.
    if (error instanceof KeyError) return `Not an operator: ${error.message}.`;
    throw error;
  }
}

async function findOperatorSigner(request: IdentityRequest): Promise<OperatorSigner | string> {
  const { repository, keys, agentId, askPassphrase } = request;
  await repository.settleIndex();
  const identity = { kind: 'operator' as const, repository: repository.trust.repositoryId, agent_id: agentId };
  const index = repository.index.reader();
  const stored = currentKey(keys, index, identity);
  if (stored === null || !isEnrolled(index, stored)) {
    const enrolled = await enrolFirstOperator(request);
    return enrolled.ok ? { signer: enrolled.value } : `Not an operator: ${enrolled.message}. ${enrolled.next}.`;
  }
  const unlocked = keys.signerOf(stored);
  if (unlocked !== null) return goOnAfterLoss(request, { stored, signer: unlocked });
  const passphrase = askPassphrase === undefined ? null : await askPassphrase(stored);
  if (passphrase === null) {
    return `Not an operator: the key of "${agentId}" has a passphrase, which is asked on a terminal only. Use "waymark review".`;
  }
  const opened = keys.unlock(stored, passphrase);
  return opened.ok ? { signer: opened.signer } : `Not an operator: ${opened.message}.`;
}

function isEnrolled(index: Index, { publicKey }: StoredKey): boolean {
  return index.key(publicKey)?.role === 'operator' && endOf(index, publicKey) === null;
}

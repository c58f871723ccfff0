/** The key an agent signs with in this clone, also after its key was handed over, revoked, or its log lost. */
import {
  compareWithRemembered,
  type EffectiveRevocation,
  type KeyStore,
  logNameOf,
  rememberedLogs,
  type StoredKey,
} from '../ledger/index.ts';
import type { LogLoss, Signer } from '../ledger/types.ts';
import { type Outcome, ok, type Refusal, refuse } from '../record/outcome.ts';
import { isReservedAgentId } from '../record/principal.ts';
import type { Index } from '../store/index/index.ts';
import { lossesOf, wholeSizeOf } from '../store/losses.ts';
import type { Repository } from '../store/repository.ts';
import { cloneId } from './clone.ts';
import { currentKey, endOf, nextKey, standingOf } from './current-key.ts';
import { guarded } from './unlock-key.ts';

export interface AgentSignerRequest {
  readonly repository: Repository;
  readonly keys: KeyStore;
  readonly agentId: string;
  /** Folder of the checkpoints this machine remembers of the repository. */
  readonly seenFolder: string;
  /** This machine has no other clone of the repository, in which lost events may only be waiting. */
  readonly isOnlyClone: () => boolean;
}

export interface AgentSigner {
  readonly signer: Signer;
  /** What was noticed of earlier logs, for the answer of the call that goes on under a new key. */
  readonly warning?: string;
}

/** Makes a key on first use. A revoked one is never followed by one of the agent's own making. */
export async function agentSigner(request: AgentSignerRequest): Promise<Outcome<AgentSigner>> {
  const { repository, keys, agentId, seenFolder } = request;
  if (isReservedAgentId(agentId)) {
    return refuse('authority', `No agent goes by "${agentId}", which is a name of Waymark itself`, {
      next: 'Use another agent id',
    });
  }
  const holder = { kind: 'agent' as const, repository: repository.trust.repositoryId, agent_id: agentId };
  const identity = { ...holder, clone: cloneId(repository.root) };
  // Before the index is read: another process may sign with the same key meanwhile, and remembers it afterwards.
  const remembered = rememberedLogs(seenFolder);
  const read = await repository.read((index) =>
    guarded(() => {
      const key = currentKey(keys, index, identity) ?? keys.create(identity);
      const isOver = isCut(index, key, remembered);
      const isNew = isOver || index.writerTail(logNameOf(key.publicKey)) === null;
      const others = isNew ? keys.others(holder, key.publicKey) : [];
      const own = isNew && request.isOnlyClone() ? others : others.filter(({ clone }) => clone === identity.clone);
      const formerLogs = own.map(({ publicKey }) => logNameOf(publicKey));
      if (isOver) formerLogs.push(logNameOf(key.publicKey));
      const losses = lossesOf(index, { logs: formerLogs, seenFolder });
      return ok({ key, isLost: standingOf(index, key) === 'lost', isOver, formerLogs, losses });
    }),
  );
  if (!read.value.ok) return read.value;
  const { key, isLost, isOver, formerLogs, losses } = read.value.value;
  return guarded(() => {
    const next = () => nextKey(keys, repository.index.reader(), { identity });
    if (isLost) return lost(agentId, { end: endOf(repository.index.reader(), key.publicKey), next: next() });
    // An index that lags may only lack what the branch has: then the transaction looks, and refuses.
    const goesOn = isOver && read.state === undefined;
    if (goesOn) next();
    const signer = keys.signerOf(goesOn ? keys.follow(key) : key);
    if (signer === null) {
      return refuse('authority', `The key of agent "${agentId}" is locked`, { next: 'Run "waymark key list"' });
    }
    const warns = losses.length > 0 && read.state === undefined;
    const withLogs = formerLogs.length === 0 ? signer : { ...signer, formerLogs };
    return ok({ signer: withLogs, ...(warns ? { warning: lossWarning(losses) } : {}) });
  });
}

/**
 * Whether a key that this process signs with is still the one: a look at one row and one small file before each save.
 * `false` may only mean that the index lags.
 */
export function isStillGood(signer: Signer, request: AgentSignerRequest): boolean {
  const index = request.repository.index.reader();
  const log = logNameOf(signer.publicKey);
  if (endOf(index, signer.publicKey) !== null) return false;
  const size = index.writerTail(log)?.size ?? 0;
  return compareWithRemembered({ dir: request.seenFolder, log }, { size, rootAt: () => null }) !== 'cut';
}

/** Whether the log of a key ends earlier than this machine remembers; one with a gap is damaged, not an older copy. */
export function isCut(index: Index, key: StoredKey, remembered: ReturnType<typeof rememberedLogs>): boolean {
  const log = logNameOf(key.publicKey);
  const end = wholeSizeOf(index, log);
  return end !== null && end < (remembered.get(log)?.size ?? 0);
}

/** One sentence for whoever called. */
export function lossWarning(losses: readonly LogLoss[]): string {
  const logs = losses
    .map(({ log, size, found }) => `log "${log}" holds ${found} of the ${size} events it had`)
    .join(', ');
  return `An older copy of the record was noticed: ${logs}; this is recorded, and you go on under a new key`;
}

function lost(
  agentId: string,
  { end, next }: { readonly end: EffectiveRevocation | null; readonly next: StoredKey },
): Refusal {
  const why = end === null ? 'is enrolled for somebody else' : `was revoked (${end.reason})`;
  return refuse('authority', `The key of agent "${agentId}" in this clone ${why}`, {
    next: `If it may go on, an operator runs "waymark key enrol ${next.publicKey} --agent ${agentId} --role agent"`,
  });
}

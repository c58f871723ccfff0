/** The recovery key takes the record back: it ends the present owner key and puts a new one of this machine in its place. */
import { handOver, randomContextId } from '../ledger/index.ts';
import type { Revocation, Signer } from '../ledger/types.ts';
import { type Outcome, ok, type Refusal, refuse } from '../record/outcome.ts';
import type { Index } from '../store/index/index.ts';
import type { KnownKey } from '../store/index/types.ts';
import { endOf, nextKey } from './current-key.ts';
import type { OpenRecord } from './open.ts';
import { knownRecoveryKey, recoveryKeyIn } from './recovery-key.ts';
import { eventsOf, planRevocation, type RevocationPlan } from './revocation-plan.ts';
import { type AskPassphrase, guarded, unlock } from './unlock-key.ts';

export interface RecoverOwnerInput {
  /** Absolute file of the recovery key. */
  readonly file: string;
  /** Hash of the first event of an owner key that no longer stands, or its first digits. @default all stand */
  readonly since?: string;
}

export interface RecoverOwnerOptions {
  /** Asks on the terminal; absent where there is none. */
  readonly askPassphrase?: AskPassphrase;
  /** Whether to go on although something stops counting. */
  readonly confirm: (plan: RevocationPlan) => Promise<Outcome<null>>;
}

export interface RecoveredOwner extends RevocationPlan {
  readonly new_key: string;
  /** Whether the recovery key has a passphrase. */
  readonly recovery_protection: 'none' | 'scrypt';
}

/** Resolves once the index judges everything anew, where something stops counting. */
export async function recoverOwner(
  record: OpenRecord,
  input: RecoverOwnerInput,
  options: RecoverOwnerOptions,
): Promise<Outcome<RecoveredOwner>> {
  const { keys, repository } = record;
  const { repositoryId } = repository.trust;
  const index = repository.index.reader();
  const recovery = knownRecoveryKey(index);
  if (recovery === null) return noRecoveryKey();
  const stored = recoveryKeyIn(input.file, repositoryId);
  if (!stored.ok) return stored;
  if (stored.value.publicKey !== recovery.key) return otherRecoveryKey(recovery);
  const target = targetOf(index, input.since);
  if (!target.ok) return target;
  const plan = planRevocation(index, target.value);
  const refused = checkPlan(index, { plan, recovery });
  if (refused !== null) return refused;
  const signer = await unlock(stored.value, { keys, ...options });
  if (!signer.ok) return signer;
  if (plan.voided > 0) {
    const confirmed = await options.confirm(plan);
    if (!confirmed.ok) return confirmed;
  }
  const identity = { kind: 'owner', repository: repositoryId } as const;
  const made = guarded(() => ok(nextKey(keys, index, { identity })));
  if (!made.ok) return made;
  // One that an earlier run left waiting may have a passphrase.
  const next = await unlock(made.value, { keys, ...options });
  if (!next.ok) return next;
  const written = await writeRecovery(record, { signer: signer.value, next: next.value, plan, recovery });
  if (!written.ok) return written;
  if (plan.voided > 0) await repository.settleIndex();
  const taken = guarded(() => ok(keys.takeUp(identity)));
  if (!taken.ok) return taken;
  return ok({ ...plan, new_key: next.value.publicKey, recovery_protection: stored.value.protection });
}

type Target = Pick<Revocation, 'key' | 'size' | 'reason'> & { readonly publicKey: string };

/** Of a lost key all events stand; of a stolen one those before the first of the thief. */
function targetOf(index: Index, since: string | undefined): Outcome<Target> {
  if (since === undefined) {
    const owner = index.keys().find(({ key, role }) => role === 'owner' && endOf(index, key) === null);
    if (owner !== undefined) return ok(target(owner.key, { size: eventsOf(index, owner.key), reason: 'retirement' }));
    return refuse('repository', 'No owner key counts in this record', { next: 'Run "waymark verify"' });
  }
  const prefix = since.startsWith('sha256:') ? since : `sha256:${since}`;
  const found = index.eventsByPrefix(prefix, 2);
  const record = found.length === 1 ? found[0]?.envelope.record : undefined;
  const isOwners = record !== undefined && index.key(record.creator_key)?.role === 'owner';
  if (isOwners && record.waymark !== undefined) {
    return ok(target(record.creator_key, { size: record.waymark.seq, reason: 'compromise' }));
  }
  return refuse('not_found', `"${since}" is not one event of an owner key`, {
    field: 'since',
    next: 'Name the hash of an event that the owner key signed; "waymark trace" and the files below "ledger/" have it',
  });
}

function target(key: string, { size, reason }: Pick<Revocation, 'size' | 'reason'>): Target {
  return { key, publicKey: key, size, reason };
}

function checkPlan(index: Index, { plan, recovery }: { readonly plan: RevocationPlan; readonly recovery: KnownKey }) {
  if (plan.keys.includes(recovery.key)) {
    return refuse('conflict', 'The recovery key was enrolled only after that event, so it cannot void it', {
      field: 'since',
      next: 'Name a later event',
    });
  }
  const isOther = ({ key, role }: KnownKey) => role === 'owner' && key !== plan.public_key && !plan.keys.includes(key);
  const other = index.keys().find((known) => isOther(known) && endOf(index, known.key) === null);
  if (other === undefined) return null;
  return refuse('conflict', `The owner key is another by now, "${other.key}", and what that event is of ended before`, {
    field: 'since',
    next: 'Let the owner end what is wrong: "waymark key revoke KEY --size 0" for keys, "waymark accept" for settings',
  });
}

async function writeRecovery(
  { repository }: OpenRecord,
  recovering: {
    readonly signer: Signer;
    readonly next: Signer;
    readonly plan: RevocationPlan;
    readonly recovery: KnownKey;
  },
): Promise<Outcome<null>> {
  const { signer, next, plan, recovery } = recovering;
  const { public_key: key, stand: size, reason } = plan;
  const as = { agent_id: recovery.agent_id, role: 'recovery' } as const;
  return repository.write<null>({
    signer,
    ...as,
    alone: true,
    decide: async ({ index }) => {
      const now = planRevocation(index, { publicKey: key, size, reason });
      if (now.voided !== plan.voided || index.key(key)?.role !== 'owner') {
        return refuse('conflict', 'The owner key signed something since it was looked at', {
          next: 'Look again, then run it again',
        });
      }
      const { publicKey, protection } = next;
      return ok({
        events: [
          {
            verb: 'recover',
            informed_by: [],
            context_id: randomContextId(),
            local: {
              ...as,
              via: 'cli',
              enrolment: { key: publicKey, agent_id: as.agent_id, role: 'owner', protection },
              revocation: { ...handOver(key, { size, successor: next }), reason },
            },
            files: [],
          },
        ],
        message: `Recover the record: a new owner key takes over`,
        answer: null,
      });
    },
  });
}

function noRecoveryKey(): Refusal {
  return refuse('not_found', 'This record has no recovery key', {
    next: 'Where the owner key lies, make one with "waymark key recovery FILE"; without that key nobody can take it back',
  });
}

function otherRecoveryKey({ key }: KnownKey): Refusal {
  return refuse('authority', `The file holds another key than the record's recovery key "${key}"`, {
    next: 'Name the file that "waymark init" or "waymark key recovery" made for this record',
  });
}

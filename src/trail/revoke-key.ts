/** Ends a key: shows first what stops counting by it, then signs the revocation. */
import { isPublicKey, randomContextId } from '../ledger/index.ts';
import type { Revocation, RevocationReason } from '../ledger/types.ts';
import { type Outcome, ok, type Refusal, refuse } from '../record/outcome.ts';
import type { Index } from '../store/index/index.ts';
import { endOf } from './current-key.ts';
import { type Authority, authorityOf } from './keys.ts';
import type { OpenRecord } from './open.ts';
import { eventsOf, planRevocation, type RevocationPlan } from './revocation-plan.ts';
import type { AskPassphrase } from './unlock-key.ts';

export interface RevokeKeyInput {
  readonly publicKey: string;
  readonly reason: RevocationReason;
  /** How many of the key's first events stand. @default all that are there when the revocation is signed */
  readonly size?: number;
  /** The first event that no longer stands, or the first digits of its hash, instead of `size`. */
  readonly since?: string;
}

export interface RevokeKeyOptions {
  /** Whose operator key signs, if it may. */
  readonly person: string;
  /** Asks on the terminal; absent where there is none. */
  readonly askPassphrase?: AskPassphrase;
  /** Whether to go on although something stops counting. */
  readonly confirm: (plan: RevocationPlan) => Promise<Outcome<null>>;
}

/** Resolves once the index judges everything anew, where something stops counting. */
export async function revokeKey(
  record: OpenRecord,
  input: RevokeKeyInput,
  options: RevokeKeyOptions,
): Promise<Outcome<RevocationPlan>> {
  const { repository } = record;
  const index = repository.index.reader();
  const size = sizeOf(index, input);
  if (!size.ok) return size;
  const plan = planRevocation(index, { ...input, size: size.value ?? eventsOf(index, input.publicKey) });
  // The key itself may only say that it ends now: what came before is for others to judge.
  const except = size.value === null ? {} : { except: input.publicKey };
  const authority = await authorityOf(record, { ...options, ...except });
  if (!authority.ok) return authority;
  const refused = checkTarget(index, { plan, authority: authority.value, input });
  if (refused !== null) return refused;
  if (plan.voided > 0) {
    const confirmed = await options.confirm(plan);
    if (!confirmed.ok) return confirmed;
  }
  const written = await writeRevocation(record, { authority: authority.value, input, size: size.value, plan });
  if (!written.ok) return written;
  if (plan.voided > 0) await repository.settleIndex();
  return ok({ ...plan, stand: written.value });
}

/** `null` for all that is there. */
function sizeOf(index: Index, { publicKey, size, since }: RevokeKeyInput): Outcome<number | null> {
  if (!isPublicKey(publicKey)) {
    return refuse('invalid', 'The public key is not one: expected 43 characters of base64url', {
      field: 'public_key',
      next: 'Copy it whole from "waymark key list"',
    });
  }
  const known = index.key(publicKey);
  if (known === null) {
    return refuse('not_found', `No event enrols the key "${publicKey}"`, { next: 'Run "waymark key list"' });
  }
  const there = eventsOf(index, publicKey);
  if (since !== undefined) return sizeBefore(index, { since, publicKey });
  if (size === undefined) return ok(null);
  if (size <= there) return ok(size);
  return refuse('invalid', `The key signed ${there} events, so ${size} cannot stand`, {
    field: 'size',
    next: `Name a number from 0 to ${there}`,
  });
}

function sizeBefore(
  index: Index,
  { since, publicKey }: { readonly since: string; readonly publicKey: string },
): Outcome<number> {
  const prefix = since.startsWith('sha256:') ? since : `sha256:${since}`;
  const found = index.eventsByPrefix(prefix, 2);
  const record = found.length === 1 ? found[0]?.envelope.record : undefined;
  if (record?.waymark !== undefined && record.creator_key === publicKey) return ok(record.waymark.seq);
  return refuse('not_found', `"${since}" is not one event of the key`, {
    field: 'since',
    next: 'Name the hash of an event that the key signed, "sha256:" and 64 hex digits',
  });
}

function checkTarget(
  index: Index,
  { plan, authority, input }: { plan: RevocationPlan; authority: Authority; input: RevokeKeyInput },
): Refusal | null {
  const { publicKey } = input;
  if (index.key(publicKey)?.role === 'owner') {
    return refuse('authority', 'A key of the owner ends by its own hand-over only', {
      next: 'Run "waymark key rotate --owner" where it lies',
    });
  }
  if (index.key(publicKey)?.role === 'recovery') {
    return refuse('authority', 'A recovery key cannot be ended: whoever steals the owner key would end it first', {
      next: 'Keep its file where nobody finds it, under a passphrase ("waymark key protect --recovery FILE")',
    });
  }
  const end = endOf(index, publicKey);
  if (end !== null && end.size <= plan.stand) {
    return refuse('conflict', `The key was revoked already (${end.reason}): its first ${end.size} events stand`, {
      next: 'Name a smaller size, if fewer are to stand',
    });
  }
  // By its effect nobody would have enrolled the key that signs it.
  if (!plan.keys.includes(authority.signer.publicKey)) return null;
  return refuse('authority', 'The revocation would void the enrolment of the key that signs it', {
    next: 'Let the owner sign it, or another operator',
  });
}

async function writeRevocation(
  { repository }: OpenRecord,
  revoking: {
    readonly authority: Authority;
    readonly input: RevokeKeyInput;
    readonly size: number | null;
    readonly plan: RevocationPlan;
  },
): Promise<Outcome<number>> {
  const { signer, as } = revoking.authority;
  const { publicKey: key, reason } = revoking.input;
  return repository.write<number>({
    signer,
    ...as,
    alone: true,
    decide: async ({ index }) => {
      const known = index.key(key);
      if (known === null) return refuse('conflict', 'The key is not enrolled any more', { next: 'Look again' });
      const there = eventsOf(index, key);
      // Of its own log this event is one more.
      const size = revoking.size ?? (key === signer.publicKey ? there + 1 : there);
      if (planRevocation(index, { publicKey: key, reason, size }).voided !== revoking.plan.voided) {
        return refuse('conflict', 'Events that would stop counting were signed since it was shown what does', {
          next: 'Look again, then run it again',
        });
      }
      const revocation: Revocation = { key, size, reason };
      return ok({
        events: [
          {
            verb: 'revoke',
            informed_by: [],
            context_id: randomContextId(),
            local: { ...as, via: 'cli', revocation },
            files: [],
          },
        ],
        message: `Revoke the ${known.role} key of ${known.agent_id}: ${reason}`,
        answer: size,
      });
    },
  });
}

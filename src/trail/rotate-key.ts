/**
 * Hands a key over to a new one. The new file is made first and waits, then the event, then the file takes its place: a
 * crash anywhere leaves one key that counts, since one that waits is taken up once the record names it.
 */
import { handOver, type KeyIdentity, randomContextId, type StoredKey } from '../ledger/index.ts';
import type { Signer } from '../ledger/types.ts';
import { type Outcome, ok, refuse } from '../record/outcome.ts';
import type { KnownKey } from '../store/index/types.ts';
import { cloneId } from './clone.ts';
import { currentKey, endOf, nextKey, standingOf } from './current-key.ts';
import type { OpenRecord } from './open.ts';
import { type AskPassphrase, guarded, unlock } from './unlock-key.ts';

export interface RotateKeyInput {
  readonly kind: 'agent' | 'operator' | 'owner';
  /** Whose agent or operator key. */
  readonly agentId: string;
}

export interface RotateKeyOptions {
  /** Asks on the terminal; absent where there is none. */
  readonly askPassphrase?: AskPassphrase;
  /** The passphrase of the new key, `null` when the person gives up; absent without a terminal. */
  readonly newPassphrase?: () => Promise<string | null>;
}

export interface RotatedKey {
  readonly kind: StoredKey['kind'];
  readonly agent_id: string;
  readonly old_key: string;
  readonly new_key: string;
  readonly protection: 'none' | 'scrypt';
}

/** A key with a passphrase is followed by one with a passphrase, one without by one without. */
export async function rotateKey(
  record: OpenRecord,
  input: RotateKeyInput,
  options: RotateKeyOptions = {},
): Promise<Outcome<RotatedKey>> {
  const { keys, repository } = record;
  const identity = identityOf(record, input);
  const index = repository.index.reader();
  const found = guarded(() => ok(currentKey(keys, index, identity)));
  if (!found.ok) return found;
  const stored = found.value;
  const known = stored === null ? null : index.key(stored.publicKey);
  if (stored === null || known === null) return nothingToHandOver(input);
  const signer = await unlock(stored, { keys, ...options });
  if (!signer.ok) return signer;
  const next = await prepare(record, { identity, stored }, options);
  if (!next.ok) return next;
  const written = await writeHandOver(record, { signer: signer.value, known, next: next.value });
  if (!written.ok) return written;
  const taken = guarded(() => ok(keys.follow(stored)));
  if (!taken.ok) return taken;
  const { protection, publicKey } = next.value;
  const { kind } = input;
  return ok({ kind, agent_id: known.agent_id, old_key: stored.publicKey, new_key: publicKey, protection });
}

function identityOf({ repository }: OpenRecord, { kind, agentId: agent_id }: RotateKeyInput): KeyIdentity {
  const { repositoryId } = repository.trust;
  if (kind === 'owner') return { kind, repository: repositoryId };
  if (kind === 'operator') return { kind, repository: repositoryId, agent_id };
  return { kind, repository: repositoryId, agent_id, clone: cloneId(repository.root) };
}

function nothingToHandOver({ kind, agentId }: RotateKeyInput) {
  const whose = kind === 'owner' ? 'owner key' : `${kind} key of "${agentId}"`;
  return refuse('not_found', `No enrolled ${whose} is on this machine for this clone`, {
    next: 'Run "waymark key list" to see which keys count, and rotate where the private part lies',
  });
}

const REMOVE_PENDING = 'remove its file, which ends in ".pending", from the key folder, then run the command again';

/** The key that takes over. One that an earlier run left waiting is used, if its passphrase is still known. */
async function prepare(
  { keys, repository }: OpenRecord,
  at: { readonly identity: KeyIdentity; readonly stored: StoredKey },
  options: RotateKeyOptions,
): Promise<Outcome<Signer>> {
  const { identity, stored } = at;
  const index = repository.index.reader();
  const waiting = guarded(() => ok(keys.pending(identity)));
  if (!waiting.ok) return waiting;
  const left = waiting.value !== null && standingOf(index, waiting.value) === 'lost' ? null : waiting.value;
  if (left !== null && left.protection !== stored.protection) {
    return refuse('conflict', `A new ${stored.kind} key waits already, and its protection is ${left.protection}`, {
      next: `No rotation is running? Then ${REMOVE_PENDING}`,
    });
  }
  if (left !== null) {
    const opened = await unlock(left, { keys, ...options });
    if (opened.ok) return opened;
    return { ...opened, next: `${opened.next}; if nobody knows the passphrase any more, ${REMOVE_PENDING}` };
  }
  if (stored.protection === 'none') {
    const made = guarded(() => ok(nextKey(keys, index, { identity })));
    return made.ok ? unlock(made.value, { keys }) : made;
  }
  const passphrase = (await options.newPassphrase?.()) ?? null;
  if (passphrase === null) {
    return refuse('invalid', 'No passphrase was given for the new key, or the two differ: nothing was changed', {
      next: 'Run "waymark key rotate" again, in a terminal',
    });
  }
  const made = guarded(() => ok(nextKey(keys, index, { identity, passphrase })));
  return made.ok ? unlock(made.value, { keys, askPassphrase: async () => passphrase }) : made;
}

async function writeHandOver(
  { repository }: OpenRecord,
  handing: { readonly signer: Signer; readonly known: KnownKey; readonly next: Signer },
): Promise<Outcome<null>> {
  const { signer, known, next } = handing;
  const { agent_id, role, name } = known;
  return repository.write<null>({
    signer,
    agent_id,
    role,
    decide: async ({ index }) => {
      if (endOf(index, signer.publicKey) !== null) {
        return refuse('conflict', 'The key was revoked or handed over already', { next: 'Run "waymark key list"' });
      }
      const size = (index.writerTail(known.log)?.size ?? 0) + 1;
      const { publicKey: successor, protection } = next;
      return ok({
        events: [
          {
            verb: 'rotate',
            informed_by: [],
            context_id: randomContextId(),
            local: {
              agent_id,
              role,
              via: 'cli',
              enrolment: { key: successor, agent_id, role, ...(name === undefined ? {} : { name }), protection },
              revocation: handOver(signer.publicKey, { size, successor: next }),
            },
            files: [],
          },
        ],
        message: `Rotate the ${role} key of ${agent_id}`,
        answer: null,
      });
    },
  });
}

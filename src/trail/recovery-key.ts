/**
 * The recovery key: a second key of the owner, kept elsewhere, that can put a new owner key in the place of the present
 * one. The record gets one, once; no other key can end or replace it.
 */
import { join } from 'node:path';
import type { Environment } from '../config/index.ts';
import {
  createRecoveryFile,
  protectRecoveryFile,
  type RecoveryKeyOptions,
  randomContextId,
  readRecoveryFile,
  type StoredKey,
} from '../ledger/index.ts';
import type { EventDraft } from '../ledger/types.ts';
import { errnoOf } from '../record/errno.ts';
import { type Outcome, ok, type Refusal, refuse } from '../record/outcome.ts';
import type { Index } from '../store/index/index.ts';
import type { KnownKey } from '../store/index/types.ts';
import { currentKey, standingOf } from './current-key.ts';
import type { OpenRecord } from './open.ts';
import { type AskPassphrase, guarded, unlock } from './unlock-key.ts';

/** Where `waymark init` leaves the key when nobody names a file; from there it is to be moved. */
export function recoveryFileBesideOwner({ configDir }: Environment, repositoryId: string): string {
  return join(configDir, 'keys', `${repositoryId}.recovery`);
}

/**
 * Makes the key's file, before anything names the key. A file of this record that is there is taken: an earlier run may
 * have ended before its event, or after it without knowing.
 */
export function makeRecoveryFile(file: string, options: RecoveryKeyOptions): Outcome<StoredKey> {
  return onFile(file, () => {
    const key = createRecoveryFile(file, options);
    return key === null ? recoveryKeyIn(file, options.repository) : ok(key);
  });
}

/** The key in the file. */
export function recoveryKeyIn(file: string, repositoryId: string): Outcome<StoredKey> {
  return onFile(file, () => {
    const key = readRecoveryFile(file);
    if (key === null) return noFile(file);
    if (key.repository === repositoryId) return ok(key);
    return refuse(
      'invalid',
      `The recovery key in "${file}" is of record ${key.repository}, this one is ${repositoryId}`,
      {
        next: 'Name the file of this record, or run it in the other one',
      },
    );
  });
}

/** The event that enrols it, to be signed by the owner. */
export function recoveryEnrolment({ publicKey: key, protection }: StoredKey, as: OwnerIdentity): EventDraft {
  const enrolment = { key, agent_id: as.agent_id, role: 'recovery', protection } as const;
  return { verb: 'enrol', informed_by: [], context_id: randomContextId(), local: { ...as, enrolment }, files: [] };
}

interface OwnerIdentity {
  readonly agent_id: string;
  readonly role: 'owner';
}

export interface MadeRecoveryKey {
  readonly public_key: string;
  readonly file: string;
  readonly protection: 'none' | 'scrypt';
}

export interface AddRecoveryKeyOptions {
  /** Asks on the terminal for the passphrase of the owner key; absent where there is none. */
  readonly askPassphrase?: AskPassphrase;
  /** Of the recovery key. @default none */
  readonly passphrase?: string;
}

/** Gives a record that has none its recovery key, signed by the owner key. The file first: see `createRecoveryFile`. */
export async function addRecoveryKey(
  { keys, repository }: OpenRecord,
  file: string,
  options: AddRecoveryKeyOptions = {},
): Promise<Outcome<MadeRecoveryKey>> {
  const { repositoryId } = repository.trust;
  const index = repository.index.reader();
  if (knownRecoveryKey(index) !== null) return hasOne();
  const stored = guarded(() => ok(currentKey(keys, index, { kind: 'owner', repository: repositoryId })));
  if (!stored.ok) return stored;
  const known = stored.value === null ? null : index.key(stored.value.publicKey);
  if (stored.value === null || known === null || standingOf(index, stored.value) !== 'counts') return noOwner();
  const signer = await unlock(stored.value, { keys, ...options });
  if (!signer.ok) return signer;
  const { passphrase } = options;
  const made = makeRecoveryFile(file, {
    repository: repositoryId,
    ...(passphrase === undefined ? {} : { passphrase }),
  });
  if (!made.ok) return made;
  const as = { agent_id: known.agent_id, role: 'owner' } as const;
  const written = await repository.write<null>({
    signer: signer.value,
    ...as,
    decide: async (draft) => {
      if (knownRecoveryKey(draft.index) !== null) return hasOne();
      const event = recoveryEnrolment(made.value, as);
      return ok({ events: [event], message: 'Enrol the recovery key', answer: null });
    },
  });
  if (!written.ok) return written;
  const { publicKey: public_key, protection } = made.value;
  return ok({ public_key, file, protection });
}

/** Puts the key in a file under a passphrase. The record keeps what the owner said of it. */
export function protectRecoveryKey(file: string, passphrase: string): Outcome<MadeRecoveryKey> {
  return onFile(file, () => {
    const key = protectRecoveryFile(file, passphrase);
    return key === null ? noFile(file) : ok({ public_key: key.publicKey, file, protection: key.protection });
  });
}

/** The recovery key that the record knows, `null` while it has none. */
export function knownRecoveryKey(index: Pick<Index, 'keys'>): KnownKey | null {
  return index.keys().find(({ role }) => role === 'recovery') ?? null;
}

function onFile<T>(file: string, work: () => Outcome<T>): Outcome<T> {
  try {
    return guarded(work);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    return refuse('storage', `"${file}" cannot be used for the recovery key: ${errno}`, {
      next: 'Name a file in a folder that can be written and read',
    });
  }
}

function noFile(file: string): Refusal {
  return refuse('not_found', `There is no file "${file}"`, { next: 'Name the file of the recovery key' });
}

function hasOne(): Refusal {
  return refuse('conflict', 'The record has its recovery key already, and nobody can replace it', {
    next: 'Run "waymark key list" to see it; a passphrase for it: "waymark key protect --recovery FILE"',
  });
}

function noOwner(): Refusal {
  return refuse(
    'authority',
    'The owner key of this record is not on this machine, and the owner enrols the recovery key',
    {
      next: 'Run it where the owner key lies; "waymark key list" names the keys',
    },
  );
}

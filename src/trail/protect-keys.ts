/** Puts the person's keys under a passphrase and says so in the record. */
import { randomContextId, type StoredKey } from '../ledger/index.ts';
import type { Signer } from '../ledger/types.ts';
import { type Outcome, ok, refuse } from '../record/outcome.ts';
import { currentKey, endOf } from './current-key.ts';
import type { OwnKey } from './keys.ts';
import type { OpenRecord } from './open.ts';
import { type AskPassphrase, guarded, unlock } from './unlock-key.ts';

export interface ProtectOptions {
  /** Whose operator key. */
  readonly person: string;
  /** The new passphrase, `null` when the person gives up or the two answers differ. */
  readonly newPassphrase: () => Promise<string | null>;
  readonly askPassphrase: AskPassphrase;
}

export interface ProtectedKey extends OwnKey {
  /** It had a passphrase before. */
  readonly already: boolean;
}

/**
 * Protects the owner key and the operator key that are on this machine. The file first, then the event: one that failed
 * in between is finished by the next run, and the record never claims a passphrase that is not there.
 */
export async function protectKeys(
  record: OpenRecord,
  options: ProtectOptions,
): Promise<Outcome<readonly ProtectedKey[]>> {
  const { keys, repository } = record;
  const repositoryId = repository.trust.repositoryId;
  const index = repository.index.reader();
  const found = guarded(() =>
    ok([
      currentKey(keys, index, { kind: 'owner', repository: repositoryId }),
      currentKey(keys, index, { kind: 'operator', repository: repositoryId, agent_id: options.person }),
    ]),
  );
  if (!found.ok) return found;
  const stored = found.value.filter((key) => key !== null).filter(({ publicKey }) => endOf(index, publicKey) === null);
  if (stored.length === 0) {
    return refuse('not_found', `Neither an owner key nor an operator key of "${options.person}" is on this machine`, {
      next: 'Make an operator key with "waymark key show", or set WAYMARK_AGENT_ID',
    });
  }
  const needsNew = stored.some((key) => key.protection === 'none');
  const passphrase = needsNew ? await options.newPassphrase() : '';
  if (passphrase === null) {
    return refuse('invalid', 'No passphrase was given, or the two differ: nothing was changed', {
      next: 'Run "waymark key protect" again',
    });
  }
  const done: ProtectedKey[] = [];
  for (const key of stored) {
    const result = await protectOne(record, key, { ...options, passphrase });
    if (!result.ok) return result;
    done.push(result.value);
  }
  return ok(done);
}

async function protectOne(
  record: OpenRecord,
  key: StoredKey,
  options: ProtectOptions & { readonly passphrase: string },
): Promise<Outcome<ProtectedKey>> {
  const { keys, repository } = record;
  const already = key.protection !== 'none';
  const sealed = guarded(() => ok(already ? key : keys.protect(key, options.passphrase)));
  if (!sealed.ok) return sealed;
  const known = repository.index.reader().key(key.publicKey);
  const answer: ProtectedKey = {
    public_key: key.publicKey,
    kind: key.kind,
    ...(key.agent_id === undefined ? {} : { agent_id: key.agent_id }),
    protection: 'scrypt',
    enrolled_as: known?.role ?? null,
    already,
  };
  // A key nobody enrolled has no say in the record yet.
  if (known === null || known.protection === 'scrypt') return ok(answer);
  const askPassphrase: AskPassphrase = already ? options.askPassphrase : async () => options.passphrase;
  const signer = await unlock(sealed.value, { keys, askPassphrase });
  if (!signer.ok) return signer;
  const written = await writeProtect(record, { signer: signer.value, agent_id: known.agent_id, role: known.role });
  return written.ok ? ok(answer) : written;
}

async function writeProtect(
  { repository }: OpenRecord,
  as: { readonly signer: Signer; readonly agent_id: string; readonly role: ProtectedRole },
): Promise<Outcome<null>> {
  const { agent_id, role } = as;
  return repository.write<null>({
    ...as,
    decide: async () =>
      ok({
        events: [
          {
            verb: 'protect',
            informed_by: [],
            context_id: randomContextId(),
            local: { agent_id, role, via: 'cli', protection: 'scrypt' },
            files: [],
          },
        ],
        message: `Protect the ${role} key of ${agent_id}`,
        answer: null,
      }),
  });
}

type ProtectedRole = NonNullable<OwnKey['enrolled_as']>;

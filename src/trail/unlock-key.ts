/** Opens a private key of this machine for signing. */
import { KeyError, type StoredKey } from '../ledger/index.ts';
import type { Signer } from '../ledger/types.ts';
import { type Outcome, ok, refuse } from '../record/outcome.ts';
import type { OpenRecord } from './open.ts';

/** Asks a person; `null` when there is none or they give up. */
export type AskPassphrase = (key: StoredKey) => Promise<string | null>;

export interface UnlockOptions {
  readonly keys: OpenRecord['keys'];
  readonly askPassphrase?: AskPassphrase;
}

/** A signer for a stored key, asking for its passphrase if it has one. */
export async function unlock(stored: StoredKey, options: UnlockOptions): Promise<Outcome<Signer>> {
  const { keys, askPassphrase } = options;
  const open = guarded(() => ok(keys.signerOf(stored)));
  if (!open.ok) return open;
  if (open.value !== null) return ok(open.value);
  const passphrase = (await askPassphrase?.(stored)) ?? null;
  if (passphrase === null) {
    return refuse('authority', `The ${stored.kind} key has a passphrase, which is asked on a terminal only`, {
      next: 'Run the command in a terminal',
    });
  }
  return guarded(() => {
    const unlocked = keys.unlock(stored, passphrase);
    return unlocked.ok ? ok(unlocked.signer) : refuse('authority', unlocked.message, { next: 'Try again' });
  });
}

/** A key file that cannot be used is the person's to mend, not a fault of the program. */
export function guarded<T>(work: () => Outcome<T>): Outcome<T> {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof KeyError)) throw error;
    return refuse('storage', error.message, { next: 'Mend that file, then run the command again' });
  }
}

/** The first event of a repository: the owner key signs its settings and enrols itself. */
import { randomContextId, type StoredKey } from '../ledger/index.ts';
import type { EventFile, Signer } from '../ledger/types.ts';
import { type Outcome, ok, type Refusal, refuse } from '../record/outcome.ts';
import type { Repository } from '../store/repository.ts';
import { CONFIG_FILE } from './locate.ts';
import { recoveryEnrolment } from './recovery-key.ts';

export interface FirstEvent {
  /** The owner's. */
  readonly signer: Signer;
  /** Of the person whose key it is. */
  readonly name?: string;
  readonly files: readonly EventFile[];
  /** Can take the record back from the owner key. @default none */
  readonly recovery?: StoredKey;
  /** Of the commit. */
  readonly message: string;
}

export async function writeFirstEvent(
  repository: Repository,
  { signer, name, files, message, recovery }: FirstEvent,
): Promise<Outcome<null>> {
  const owner = { agent_id: 'owner', role: 'owner' } as const;
  const named = name === undefined ? {} : { name };
  const enrolment = { key: signer.publicKey, ...owner, ...named, protection: signer.protection };
  const local = { ...owner, enrolment };
  return repository.write<null>({
    signer,
    ...owner,
    decide: async ({ index }) => {
      const wanted = files.find(({ path }) => path === CONFIG_FILE)?.before ?? null;
      // Another owner would leave two, each with events that do not count for the other.
      if (!isSame(index.setting(CONFIG_FILE), wanted)) return somebodyElse();
      return ok({
        events: [
          { verb: 'init' as const, informed_by: [], context_id: randomContextId(), local, files },
          ...(recovery === undefined ? [] : [recoveryEnrolment(recovery, owner)]),
        ],
        message,
        answer: null,
      });
    },
  });
}

function somebodyElse(): Refusal {
  return refuse('conflict', 'Somebody else has made a record of this folder just now', {
    next: 'Nothing was changed. Look at it with "waymark status"',
  });
}

function isSame(a: Uint8Array | null, b: Uint8Array | null): boolean {
  return a === null || b === null ? a === b : Buffer.compare(a, b) === 0;
}

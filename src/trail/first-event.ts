/** The first event of a repository: the owner key signs its settings and enrols itself. */
import { randomContextId } from '../ledger/index.ts';
import type { EventFile, Signer } from '../ledger/types.ts';
import { type Outcome, ok } from '../record/outcome.ts';
import type { Repository } from '../store/repository.ts';

export interface FirstEvent {
  /** The owner's. */
  readonly signer: Signer;
  readonly files: readonly EventFile[];
  /** Of the commit. */
  readonly message: string;
}

export async function writeFirstEvent(
  repository: Repository,
  { signer, files, message }: FirstEvent,
): Promise<Outcome<null>> {
  const owner = { agent_id: 'owner', role: 'owner' } as const;
  const enrolment = { key: signer.publicKey, ...owner, protection: signer.protection };
  const local = { ...owner, enrolment };
  return repository.write<null>({
    signer,
    ...owner,
    decide: async () =>
      ok({
        events: [{ verb: 'init', informed_by: [], context_id: randomContextId(), local, files }],
        message,
        answer: null,
      }),
  });
}

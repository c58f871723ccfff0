/** Events that no operation makes, validly signed by a key that counts. */
import { randomBytes } from 'node:crypto';
import { randomContextId, signerFromSeed } from '../../src/ledger/index.ts';
import type { Signer } from '../../src/ledger/types.ts';
import { ok } from '../../src/record/outcome.ts';
import type { Role } from '../../src/record/principal.ts';
import { ownerSigner } from '../../src/trail/current-key.ts';
import { enrol } from '../../src/trail/enrol.ts';
import type { Session } from '../../src/trail/session.ts';
import type { ChangeEvent } from '../../src/trail/write.ts';
import { type TestRecord, value } from './record.ts';

export interface Writer {
  readonly agent_id: string;
  readonly role: Role;
  readonly signer: Signer;
}

/** The key that a session signs with. */
export async function writerOf(session: Session): Promise<Writer> {
  const { principal, signer } = await session.context();
  return { agent_id: principal.agent_id, role: principal.role, signer: value(await signer()) };
}

/** A new key that the owner enrolled by hand, for any agent and role. */
export async function enrolledWriter(
  { record: { repository, keys } }: TestRecord,
  who: Pick<Writer, 'agent_id' | 'role'>,
): Promise<Writer> {
  const signer = signerFromSeed(randomBytes(32), { protection: 'none' });
  const owner = ownerSigner(keys, repository.index.reader(), repository.trust.repositoryId);
  if (owner === null) throw new Error('The owner key is not here');
  const enrolment = { ...who, key: signer.publicKey, protection: 'none' } as const;
  value(await enrol({ repository, enrolment, signer: owner, as: { agent_id: 'owner', role: 'owner' } }));
  return { ...who, signer };
}

export async function signEvent({ record }: TestRecord, writer: Writer, event: ChangeEvent): Promise<void> {
  const { agent_id, role, signer } = writer;
  const local = { ...event.local, agent_id, role };
  const events = [{ ...event, local, context_id: randomContextId() }];
  value(await record.repository.write({ signer, agent_id, role, decide: async () => ok({ events, answer: null }) }));
}

/** Thoughts in every status, by valid events: through the operations where one makes the status, else the library. */
import type { Verb } from '../../src/ledger/types.ts';
import { ok } from '../../src/record/outcome.ts';
import type { Status } from '../../src/record/thought.ts';
import { claimEventOf } from '../../src/trail/causes.ts';
import { findThought } from '../../src/trail/find-thought.ts';
import { replaceFile } from '../../src/trail/replace-file.ts';
import type { Session } from '../../src/trail/session.ts';
import type { SaveInput } from '../../src/trail/types.ts';
import { write } from '../../src/trail/write.ts';
import { value } from './record.ts';

export interface Seed {
  readonly author: Session;
  /** Decides, and signs the events that no tool makes. */
  readonly operator: Session;
  readonly input: SaveInput;
  readonly status: Status;
}

/** Why seeded thoughts are rejected. */
export const REJECTION = 'No measurement behind it';

/** Saves a thought and brings it into the status; answers its id. */
export async function seedThought({ author, operator, input, status }: Seed): Promise<string> {
  const { thought_id } = value(await author.operations().save(input)).thought;
  const target = { trail_name: input.trail_name, thought_id };
  const decide = operator.operations().decide;
  switch (status) {
    case 'draft':
      break;
    case 'proposed':
      value(await author.operations().propose(target));
      break;
    case 'approved':
      value(await decide({ ...target, verdict: 'approve' }));
      break;
    case 'rejected':
      value(await decide({ ...target, verdict: 'reject', reason: REJECTION }));
      break;
    case 'error':
      await setStatus(operator, { ...target, status, verb: 'error' });
      break;
    case 'tombstoned':
      await setStatus(operator, { ...target, status, verb: 'forget' });
      break;
  }
  return thought_id;
}

interface StatusChange {
  readonly trail_name: string;
  readonly thought_id: string;
  readonly status: Status;
  readonly verb: Verb;
}

/** One event of the verb that leaves the file in the status, signed by the session's key. */
export async function setStatus(session: Session, change: StatusChange): Promise<void> {
  const { trail_name, thought_id, status, verb } = change;
  const context = await session.context();
  const call = { verb, input: {}, idempotencyKey: undefined };
  const outcome = await write<null>(context, call, async (draft) => {
    const options = { principal: context.principal, views: ['history'] as const, scope: trail_name };
    const row = value(findThought(draft.index, thought_id, options));
    const files = value(await replaceFile(draft, { row, thought: { ...row.thought, validation_status: status } }));
    const cause = claimEventOf(draft.index, thought_id);
    return ok({
      events: [
        {
          verb,
          informed_by: cause === null ? [] : [cause],
          local: { scope: trail_name, thought_id, status },
          files,
        },
      ],
      answer: null,
    });
  });
  value(outcome);
}

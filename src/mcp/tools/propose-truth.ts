import * as z from 'zod';
import { type Outcome, ok, refuse } from '../../record/outcome.ts';
import type { Operations } from '../../trail/operations.ts';
import { idempotencyKey, thoughtId, trailName } from '../fields.ts';
import { proposeOutput } from '../output.ts';
import type { Person, Reply } from '../person.ts';
import { questionAbout } from '../question.ts';
import { REVIEW_CARD_URI } from '../resources/uri.ts';
import { ADDS, defineTool } from '../tool.ts';

const input = z.object({
  trail_name: trailName,
  thought_id: thoughtId,
  approval: z.enum(['advisory', 'human']).optional().describe('human: only in an operator process'),
  claim: z.string().optional().describe('From get_thought: decide exactly that text'),
  idempotency_key: idempotencyKey,
});
type Input = z.output<typeof input>;

export const proposeTruth = defineTool({
  name: 'propose_truth',
  verb: 'propose',
  description: 'Submit a finished draft for approval.',
  annotations: ADDS,
  input,
  output: proposeOutput,
  carriesStoredText: true,
  app: REVIEW_CARD_URI,
  call: (operations, args, person) =>
    args.approval === 'human' && person.canBeAsked ? throughPerson(operations, args, person) : operations.propose(args),
});

/** The person's answer is the decision; the lock is taken when it is here, not before. */
async function throughPerson(operations: Operations, args: Input, { reply }: Person): Promise<Outcome<object>> {
  const { trail_name, thought_id, claim } = args;
  // A reply about something else is none: what this call is about is asked.
  if (reply?.asked.trail_name === trail_name && reply.asked.thought_id === thought_id) {
    return reply.kind === 'answered' ? operations.propose({ ...args, answer: reply.answer }) : undecided(reply.kind);
  }
  const found = await operations.ask({ trail_name, thought_id, claim });
  if (!found.ok) return found;
  if (found.value === null) return operations.propose(args);
  const question = questionAbout(found.value, { trail_name, thought_id });
  return question.ok ? ok(question.value) : question;
}

function undecided(kind: Exclude<Reply['kind'], 'answered'>) {
  if (kind === 'declined') {
    return refuse('authority', 'The person who was asked gave no decision: nothing changed', {
      next: 'Go on with other work. Without "approval" it waits until a person runs "waymark review"',
    });
  }
  return refuse('invalid', 'The reply of the person who was asked is not what the form asks for: nothing changed', {
    field: 'approval',
    next: 'Call again and the person is asked again, or leave the decision to "waymark review"',
  });
}

/**
 * The queue for doors where it must look as if there were none to whoever may not decide: nothing is refused by a rule, so
 * nothing is recorded either.
 */
import { decidesSomewhere } from '../record/grants.ts';
import { type Outcome, ok, type Refusal, refuse } from '../record/outcome.ts';
import type { TrailContext } from './context.ts';
import { findWaiting } from './desk/find-waiting.ts';
import type { Proposal } from './proposal.ts';
import { type QueuePage, queue } from './queue.ts';

export interface ReadQueueInput {
  readonly limit: number;
}

export interface ReadProposalInput {
  readonly thought_id: string;
}

export async function mayDecide({ principal }: TrailContext, _input: object): Promise<Outcome<{ decides: boolean }>> {
  return ok({ decides: decidesSomewhere(principal) });
}

/** The longest waiting first. Code `not_found` to whoever may not decide. */
export async function readQueue(context: TrailContext, input: ReadQueueInput): Promise<Outcome<QueuePage>> {
  return decidesSomewhere(context.principal) ? withoutRule(await queue(context, input)) : nothingWaits();
}

/** What a decision about it needs. Code `not_found` when it does not wait, or not for the caller. */
export async function readProposal(context: TrailContext, input: ReadProposalInput): Promise<Outcome<Proposal>> {
  const found = withoutRule(await findWaiting(context, input.thought_id));
  if (!found.ok) return found.code === 'not_found' ? nothingWaits() : found;
  return found.value.kind === 'waiting' ? ok(found.value.proposal) : nothingWaits();
}

function withoutRule<T>(outcome: Outcome<T>): Outcome<T> {
  return outcome.ok || outcome.rule === undefined ? outcome : nothingWaits();
}

function nothingWaits(): Refusal {
  return refuse('not_found', 'Nothing of that name waits for your decision', {
    next: 'Read "waymark://queue", where you may decide, or look for it with recall',
  });
}

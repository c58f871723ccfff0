/**
 * The queue for doors where it must look as if there were none to whoever may not decide: nothing is refused by a rule, so
 * nothing is recorded either.
 */
import { type Outcome, ok, type Refusal, refuse } from '../record/outcome.ts';
import type { Principal } from '../record/principal.ts';
import type { TrailContext } from './context.ts';
import { findThought } from './find-thought.ts';
import { type Proposal, proposal } from './proposal.ts';
import { type QueuePage, queue } from './queue.ts';

export interface ReadQueueInput {
  readonly limit: number;
}

export interface ReadProposalInput {
  readonly thought_id: string;
}

/** Whether there is any scope where the principal may decide. */
export function decidesSomewhere({ role, grants }: Pick<Principal, 'grants' | 'role'>): boolean {
  return role !== 'agent' && (grants === undefined || grants.some(({ rights }) => rights.includes('decide')));
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
  const { principal, repository } = context;
  if (!decidesSomewhere(principal)) return nothingWaits();
  const { thought_id } = input;
  const views = ['review' as const, 'history' as const];
  const { value: found } = await repository.read((index) => findThought(index, thought_id, { principal, views }));
  if (!found.ok) return nothingWaits();
  const shown = withoutRule(await proposal(context, { scope: found.value.scope, thought_id }));
  if (!shown.ok) return shown;
  return shown.value === null ? nothingWaits() : ok(shown.value);
}

function withoutRule<T>(outcome: Outcome<T>): Outcome<T> {
  return outcome.ok || outcome.rule === undefined ? outcome : nothingWaits();
}

function nothingWaits(): Refusal {
  return refuse('not_found', 'Nothing of that name waits for your decision', {
    next: 'Read "waymark://queue", where you may decide, or look for it with recall',
  });
}

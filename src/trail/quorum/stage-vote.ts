/** The event of an approval that others must join: it stands in the log alone, and the thought goes on waiting. */
import { type Outcome, ok, refuse } from '../../record/outcome.ts';
import type { Draft } from '../../store/draft.ts';
import type { StoredThought } from '../../store/index/types.ts';
import { localOf, type PersonVerdict } from '../person-verdict.ts';
import { eventAbout } from '../stage-verdict.ts';
import { summarizeStored } from '../summary.ts';
import type { ProposeResult } from '../types.ts';
import type { Change } from '../write.ts';
import { type Ballot, occasionsOf } from './ballot.ts';

export interface StagedVote extends PersonVerdict {
  readonly ballot: Ballot;
}

/** Only what is proposed is voted on: the others find it in the queue. */
export async function stageVote(
  draft: Draft,
  row: StoredThought,
  vote: StagedVote,
): Promise<Outcome<Change<ProposeResult>>> {
  const { ballot } = vote;
  const { thought_id, validation_status } = row.thought;
  // What is withheld and can be decided all the same is in the queue whatever its status.
  if (row.held && validation_status !== 'proposed') {
    const message = `Scope "${row.scope}" asks for ${ballot.needed} people, and thought "${thought_id}" is ${validation_status}: only what is proposed is voted on`;
    return refuse('conflict', message, { next: 'Propose it first, then approve it' });
  }
  const local = await localOf(draft, row, vote);
  const about = eventAbout(draft, row, { verb: 'vote', local, informed_by: occasionsOf(draft.index, row) });
  if (!about.ok) return about;
  const given = ballot.votes.length + 1;
  return ok({
    events: [about.value.event],
    message: `Vote for thought ${thought_id} in ${row.scope}`,
    answer: {
      status: 'proposed' as const,
      thought: summarizeStored(row, { principal: vote.context.principal }),
      message: `Your approval is recorded: ${given} of ${ballot.needed}. It waits for ${ballot.needed - given} more.`,
    },
  });
}

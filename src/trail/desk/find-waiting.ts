/** One proposal by its id, as the desk shows it: while it waits whole, afterwards what became of it. */
import { deciderOf } from '../../ledger/index.ts';
import { mayDecideIn } from '../../record/grants.ts';
import { type Outcome, ok, refuse } from '../../record/outcome.ts';
import { isVisible, type View } from '../../record/visibility.ts';
import type { Index } from '../../store/index/index.ts';
import type { TrailContext } from '../context.ts';
import { viewsOf } from '../find-thought.ts';
import { type Proposal, proposal } from '../proposal.ts';

export type DeskEntry =
  | { readonly kind: 'waiting'; readonly proposal: Proposal }
  | { readonly kind: 'decided'; readonly scope: string; readonly thought_id: string; readonly last: Verdict | null };

/** What a person last said of it. */
export interface Verdict {
  readonly verb: 'approve' | 'reject' | 'request_changes';
  readonly person: string;
  /** The service that signed for them; absent: their own key did. */
  readonly attested_by?: string;
  readonly reason?: string;
  /** Unix milliseconds. */
  readonly at: number;
}

type Viewer = Pick<TrailContext, 'repository' | 'principal' | 'gate' | 'attests'>;

/** Code `not_found` for what the viewer may not decide about or may not see any more, as for what is not there. */
export async function findWaiting(viewer: Viewer, thought_id: string): Promise<Outcome<DeskEntry>> {
  const { repository, principal } = viewer;
  const { value: scope } = await repository.read((index) => {
    const views: readonly View[] = ['review', ...viewsOf(principal)];
    return index.thoughtById(thought_id).find(({ facts, scope }) => {
      return mayDecideIn(principal, scope) && views.some((view) => isVisible(facts, { principal, view }));
    })?.scope;
  });
  if (scope === undefined) return absent();
  const found = await proposal(viewer, { scope, thought_id });
  if (!found.ok) return found.code === 'not_found' ? absent() : found;
  if (found.value !== null) return ok({ kind: 'waiting', proposal: found.value });
  const { value: last } = await repository.read((index) => lastVerdict(index, thought_id));
  return ok({ kind: 'decided', scope, thought_id, last });
}

function absent() {
  return refuse('not_found', 'No proposal of that id is there for you to decide', {
    next: 'Open the queue: it lists what waits for you',
  });
}

function lastVerdict(index: Index, thought_id: string): Verdict | null {
  for (const { envelope, valid } of [...index.eventsOfThought(thought_id)].reverse()) {
    const { _local: local, record } = envelope;
    if (!valid || local === undefined || local.thought_id !== thought_id) continue;
    const { verb, agent_id, attested, reason } = local;
    if (verb !== 'approve' && verb !== 'reject' && verb !== 'request_changes') continue;
    return {
      verb,
      person: deciderOf(local),
      ...(attested === undefined ? {} : { attested_by: agent_id }),
      ...(reason === undefined ? {} : { reason }),
      at: record.timestamp,
    };
  }
  return null;
}

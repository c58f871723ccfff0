/** One proposal as the person who decides needs it: the text whole, and what it is to be compared with. */
import { deciderOf } from '../ledger/index.ts';
import type { Hash, Verb } from '../ledger/types.ts';
import { claimDigest, claimOf } from '../record/claim.ts';
import { withoutForeignScopes } from '../record/foreign-scopes.ts';
import { QUARANTINED } from '../record/lifecycle.ts';
import { type Outcome, ok } from '../record/outcome.ts';
import { lineOf } from '../record/preview.ts';
import { isOperatorByKey } from '../record/principal.ts';
import type { JsonObject } from '../record/thought.ts';
import { isVisible } from '../record/visibility.ts';
import type { Index } from '../store/index/index.ts';
import type { StoredThought } from '../store/index/types.ts';
import { causeRecordsOf } from './causes.ts';
import type { TrailContext } from './context.ts';
import { decidableViews } from './find-decidable.ts';
import { findThought, viewsOf } from './find-thought.ts';
import { type Advice, adviceOn } from './gate/advice.ts';
import { checkDecider } from './guard.ts';
import { legacyPredecessor } from './legacy-predecessor.ts';
import { neighboursOf } from './neighbours.ts';
import { type QueueEntry, queueEntry, tombstonesNear } from './queue.ts';
import { type Ballot, ballotReader } from './quorum/ballot.ts';
import { type StandingToDecide, standingToDecide } from './standing-to-decide.ts';
import type { TombstoneNotice } from './types.ts';

/** As it is now. */
export interface Proposal {
  readonly entry: QueueEntry;
  readonly body: string;
  /** Every other field a decision is about. */
  readonly fields: JsonObject;
  /** Digest of body and fields; sent with the decision. */
  readonly claim: string;
  /** What it would replace; `null` when it replaces nothing, or what it names is not here. */
  readonly predecessor: Predecessor | null;
  /** `null` where one person decides. */
  readonly ballot: Ballot | null;
  readonly advice: Advice | null;
  /** Rejected values it comes close to. */
  readonly tombstones: readonly TombstoneNotice[];
  /** Approved thoughts of the scope that say nearly the same, the most alike first. */
  readonly neighbours: readonly AlikeThought[];
  /** What informed it, as far as it is here; at most 20. */
  readonly causes: readonly Cause[];
  readonly standing: StandingToDecide;
}

export interface Predecessor {
  readonly thought_id: string;
  readonly scope: string;
  readonly body: string;
}

export interface AlikeThought {
  readonly thought_id: string;
  /** 0 to 1, see `record/similarity.ts`. */
  readonly similarity: number;
  /** One line. */
  readonly preview: string;
}

/** A record the author named; without more than its hash where it is not here, or is of no thought. */
export interface Cause {
  readonly record: Hash;
  readonly verb?: Verb;
  /** Whose act it was. */
  readonly agent_id?: string;
  readonly thought_id?: string;
  /** One line of the thought as it is now. */
  readonly preview?: string;
}

type Caller = Pick<TrailContext, 'repository' | 'principal' | 'gate' | 'attests'>;

const CAUSES = 20;

/**
 * By scope and id, `null` when it no longer waits: not proposed, nor in quarantine. For who may decide about it; of other
 * thoughts it shows what the caller may see, as if nothing else were there.
 */
export async function proposal(
  caller: Caller,
  input: { readonly scope: string; readonly thought_id: string },
): Promise<Outcome<Proposal | null>> {
  const { repository, principal } = caller;
  const refusal = checkDecider('The review queue', principal);
  if (refusal !== null) return refusal;
  const { value } = await repository.read((index): Outcome<Proposal | null> => {
    const { scope, thought_id } = input;
    const found = findThought(index, thought_id, { principal, views: decidableViews(principal, scope), scope });
    if (!found.ok) return found;
    const row = found.value;
    const isWaiting =
      row.reason === QUARANTINED ? isOperatorByKey(principal) : row.thought.validation_status === 'proposed';
    return ok(isWaiting ? proposalOf(index, row, caller) : null);
  });
  return value;
}

export function proposalOf(index: Index, row: StoredThought, caller: Caller): Proposal {
  const { body, ...fields } = claimOf(withoutForeignScopes(row.thought, caller.principal));
  const predecessor = predecessorOf(index, row, caller);
  return {
    entry: queueEntry(index, row, caller),
    body: row.thought.body,
    fields,
    claim: claimDigest(row.thought),
    predecessor,
    ballot: ballotReader(index, caller.gate).of(row),
    advice: adviceOn(index, row.thought),
    tombstones: tombstonesNear(index, row, caller),
    neighbours: alikeOf(index, row, { predecessor, caller }),
    causes: causesShown(index, row, caller),
    standing: standingToDecide(index, row, caller),
  };
}

function predecessorOf(index: Index, row: StoredThought, { principal }: Caller): Predecessor | null {
  const { supersedes_id, supersedes_scope } = row.thought;
  const legacy = legacyPredecessor(index, row);
  const named = supersedes_id === undefined ? (legacy === null ? [] : [legacy]) : index.thoughtById(supersedes_id);
  const found = named
    .filter((other) => supersedes_scope === undefined || other.scope === supersedes_scope)
    .find((other) => viewsOf(principal).some((view) => isVisible(other.facts, { principal, view })));
  if (found === undefined) return null;
  return { thought_id: found.thought.thought_id, scope: found.scope, body: found.thought.body };
}

function alikeOf(
  index: Index,
  { scope, thought }: StoredThought,
  { predecessor, caller }: { readonly predecessor: Predecessor | null; readonly caller: Caller },
): readonly AlikeThought[] {
  const { body, thought_id } = thought;
  const except = [thought_id, ...(predecessor === null ? [] : [predecessor.thought_id])];
  const { principal } = caller;
  return neighboursOf(index, { scope, body, except, principal }).map(({ row, similarity }) => ({
    thought_id: row.thought.thought_id,
    similarity,
    preview: lineOf(row.thought.body),
  }));
}

function causesShown(index: Index, { thought }: StoredThought, { principal }: Caller): readonly Cause[] {
  return causeRecordsOf(index, thought.thought_id)
    .slice(0, CAUSES)
    .map((record) => {
      const local = index.eventByHash(record)?.envelope._local;
      const { thought_id } = local ?? {};
      const row = (thought_id === undefined ? [] : index.thoughtById(thought_id)).find(({ facts }) =>
        viewsOf(principal).some((view) => isVisible(facts, { principal, view })),
      );
      if (local === undefined || (row === undefined && !isOperatorByKey(principal))) return { record };
      const { verb } = local;
      return {
        record,
        verb,
        agent_id: deciderOf(local),
        ...(thought_id === undefined ? {} : { thought_id }),
        ...(row === undefined ? {} : { preview: lineOf(row.thought.body) }),
      };
    });
}

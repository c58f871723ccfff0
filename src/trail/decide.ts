/** A person's verdict on one exact claim; an approved replacement retires its predecessor in the same transaction. */
import { checkDecide } from '../record/lifecycle.ts';
import { type Outcome, ok } from '../record/outcome.ts';
import { parseScope } from '../record/scope.ts';
import type { Draft } from '../store/draft.ts';
import type { StoredThought } from '../store/index/types.ts';
import { checkClaim } from './check-claim.ts';
import type { TrailContext } from './context.ts';
import { checkDecision, checkRules } from './decide-checks.ts';
import { findDecidable } from './find-decidable.ts';
import { checkDecider } from './guard.ts';
import { type PersonVerdict, stagePersonVerdict } from './person-verdict.ts';
import { ballotReader } from './quorum/ballot.ts';
import { stageVote } from './quorum/stage-vote.ts';
import { decidingSignatory } from './signatory.ts';
import { summarizeStored } from './summary.ts';
import type { DecideInput, ProposeResult } from './types.ts';
import { type Change, inputOf, type WriteCall, write } from './write.ts';

export interface DecideOptions {
  /** What the idempotency key is about. @default the decision */
  readonly call?: Pick<WriteCall, 'verb' | 'input'>;
}

export async function decide(
  context: TrailContext,
  input: DecideInput,
  options: DecideOptions = {},
): Promise<Outcome<ProposeResult>> {
  const { principal } = context;
  const refusal = checkDecider(`A person's decision ("${input.verdict}")`, principal) ?? checkDecision(input);
  if (refusal !== null) return refusal;
  const scope = parseScope(input.trail_name);
  if (!scope.ok) return scope;
  const { call: asked = { verb: input.verdict, input: inputOf(input) } } = options;
  const into = { scope: scope.value, right: 'decide' } as const;
  const call = { ...asked, idempotencyKey: input.idempotency_key, by: decidingSignatory(context), into };
  return write<ProposeResult>(context, call, async (draft) => {
    const found = findDecidable(draft.index, { principal, thought_id: input.thought_id, scope: scope.value });
    if (!found.ok) return found;
    const row = found.value;
    const step = checkDecide(row, input.verdict);
    if (!step.ok) return step;
    // Before "nothing changed": what was approved may be another claim than the one reviewed.
    const changed = checkClaim(input.claim, row.thought);
    if (changed !== null) return changed;
    if (!step.value.changes)
      return ok(unchanged(row, { principal, status: 'ok', message: 'Already approved; nothing changed.' }));
    const against = checkRules(draft, row, { context, input });
    if (against !== null) return against;
    const verdict: PersonVerdict = { context, input, status: step.value.to, votes: [] };
    return input.verdict === 'approve' ? stageApproval(draft, row, verdict) : stagePersonVerdict(draft, row, verdict);
  });
}

/** One of `quorum` people approves; whoever makes up the number decides. A rejection needs one person only. */
async function stageApproval(
  draft: Draft,
  row: StoredThought,
  verdict: PersonVerdict,
): Promise<Outcome<Change<ProposeResult>>> {
  const ballot = ballotReader(draft.index, verdict.context.gate).of(row);
  if (ballot === null) return stagePersonVerdict(draft, row, verdict);
  const { agent_id } = verdict.context.principal;
  const others = ballot.votes.filter((vote) => vote.agent_id !== agent_id);
  // The number asked for may have become smaller since the votes were given.
  if (others.length + 1 >= ballot.needed) return stagePersonVerdict(draft, row, { ...verdict, votes: others });
  if (others.length === ballot.votes.length) return stageVote(draft, row, { ...verdict, ballot });
  const missing = ballot.needed - ballot.votes.length;
  const message = `You approved this text already; nothing changed. It waits for ${missing} more of ${ballot.needed}.`;
  return ok(unchanged(row, { principal: verdict.context.principal, status: 'proposed', message }));
}

type Unchanged = Pick<ProposeResult, 'status' | 'message'> & Pick<TrailContext, 'principal'>;

function unchanged(row: StoredThought, { principal, ...answer }: Unchanged): Change<ProposeResult> {
  return { events: [], answer: { ...answer, thought: summarizeStored(row, { principal }) } };
}

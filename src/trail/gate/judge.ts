/**
 * What follows a proposal: the policy in force, the model's word on the one claim it saw, one more write.
 *
 * The proposal stands whatever happens here. Nothing is read from the network, and nobody is waited for, under the lock.
 */
import type { Hash } from '../../ledger/types.ts';
import { type Egress, noEgress } from '../../review/egress.ts';
import type { Index } from '../../store/index/index.ts';
import type { TrailContext } from '../context.ts';
import { findThought } from '../find-thought.ts';
import { placesOf } from '../places.ts';
import { checkHeld } from '../replace-file.ts';
import { nearTombstones } from '../tombstones/consult.ts';
import type { ProposeResult, TrustGateResult } from '../types.ts';
import { writableViews } from '../writable-views.ts';
import { type Advice, adviceOn } from './advice.ts';
import { ERROR_NEXT, humanEgress, standingAnswer, waits } from './answers.ts';
import { askModel, type Judgement, type Question } from './ask.ts';
import { gatherMaterial, instructionsFor } from './gather.ts';
import { policyReader } from './policy.ts';
import { type Settled, settle } from './settle.ts';

export interface ProposedThought {
  readonly scope: string;
  /** The answer as far as it is without a judge. */
  readonly answer: ProposeResult;
}

/** Asks who is to be asked; never refuses, since the proposal is made. */
export async function judge(context: TrailContext, { scope, answer }: ProposedThought): Promise<ProposeResult> {
  const { thought_id } = answer.thought;
  const { value: plan } = await context.repository.read((index) => planFor(index, context, { scope, answer }));
  if ('answer' in plan) return plan.answer;
  const { question, proposal } = plan;
  const { policy, model } = question.gate;
  const signer = await context.gate?.reviewer();
  if (signer?.ok !== true) {
    const because = signer === undefined ? 'No model is asked from here' : `${signer.message}. ${signer.next}`;
    return waiting(answer, { because, egress: noEgress('human', 'what a model says could not be signed here') });
  }
  const announce = (egress: Egress) => {
    context.gate?.announce(egress);
    context.report?.('Asking the model that judges');
  };
  const { judgement, egress } = await askModel(question, { signal: context.signal, announce });
  if (judgement === null) {
    return waiting(answer, { because: 'The review was cancelled, and proposing it again asks again', egress });
  }
  const said = saidBy(judgement, { policy, model: model.model, prompt: question.instructions.digest });
  const settled = await settle(context, { scope, thought_id, proposal, said, signer: signer.value });
  if (!settled.ok) {
    const because = `What the model said could not be recorded: ${settled.message}. Proposing it again asks again`;
    return waiting(answer, { because, egress });
  }
  const { settled: became } = settled.value;
  const { value: row } = await context.repository.read((index) => found(index, context, { scope, answer }));
  if (row === null) return { ...answer, trust_gate_egress: egress };
  const { principal } = context;
  const now = standingAnswer(row, { principal, trust_gate_egress: egress });
  if (became === 'late')
    return { ...now, message: `It was decided or changed meanwhile, or others judge it now. ${now.message}` };
  return { ...now, ...outcomeOf(became, said), trust_gate: said };
}

interface Ask {
  readonly question: Question;
  /** What put it forward. */
  readonly proposal: Hash | undefined;
}

function planFor(
  index: Index,
  context: TrailContext,
  proposed: ProposedThought,
): Ask | { readonly answer: ProposeResult } {
  const { scope, answer } = proposed;
  const { principal } = context;
  const row = found(index, context, proposed);
  if (row === null) return { answer: { ...answer, trust_gate_egress: humanEgress() } };
  const { thought } = row;
  if (thought.validation_status !== 'proposed') {
    const egress = noEgress('none', 'it does not wait for a verdict');
    const isSame = answer.thought.validation_status === thought.validation_status;
    return {
      answer: isSame
        ? { ...answer, trust_gate_egress: egress }
        : standingAnswer(row, { principal, trust_gate_egress: egress }),
    };
  }
  const held = checkHeld(row);
  if (!held.ok) {
    const { message: because } = held;
    return { answer: waiting(answer, { because, egress: noEgress('human', because) }) };
  }
  const gate = policyReader(index, context.gate).of(placesOf(index, row));
  if (!('model' in gate)) {
    const because = gate.policy === 'human' ? gate.why : 'Several people decide';
    return { answer: waiting(answer, { because, egress: noEgress(gate.policy, because ?? 'people decide here') }) };
  }
  const near = nearTombstones(index, { scope, body: thought.body });
  if (near.length > 0) {
    const because = 'It comes close to a rejected value, which no model may approve';
    return { answer: waiting(answer, { because, egress: noEgress('human', because) }) };
  }
  const advice = gate.policy === 'llm-then-human' ? adviceOn(index, thought) : null;
  if (advice !== null && advice.verdict !== 'error') {
    const because = 'The model has advised about it already';
    const told = waiting(answer, { because, egress: noEgress(gate.policy, because) });
    return { answer: { ...told, trust_gate: adviceShown(advice) } };
  }
  const instructions = instructionsFor(index, scope);
  if (instructions === null) {
    const because = 'The instructions an operator signed for the model are not to be had';
    return { answer: waiting(answer, { because, egress: noEgress('human', because) }) };
  }
  const material = gatherMaterial(index, row, principal);
  return { question: { gate, instructions, material }, proposal: row.event };
}

/** As the proposer sees it; `null` when it is gone. */
function found(index: Index, { principal }: TrailContext, { scope, answer }: ProposedThought) {
  const row = findThought(index, answer.thought.thought_id, { principal, views: writableViews(principal), scope });
  return row.ok ? row.value : null;
}

function waiting(
  answer: ProposeResult,
  { because, egress }: { readonly because: string | undefined; readonly egress: Egress },
): ProposeResult {
  return { ...answer, status: 'proposed', message: waits(because), trust_gate_egress: egress };
}

type Asked = Pick<TrustGateResult, 'policy' | 'model' | 'prompt'>;

function saidBy(judgement: Judgement, { policy, model, prompt }: Asked): TrustGateResult {
  const { verdict, reasoning, ...rest } = judgement;
  return { verdict, reasoning, kind: 'llm_advisory', reviewer: `llm:${model}`, model, policy, prompt, ...rest };
}

function adviceShown({ verdict, reasoning, model, policy, prompt }: Advice): TrustGateResult {
  return saidBy({ verdict, reasoning }, { policy, model, prompt });
}

function outcomeOf(
  settled: Exclude<Settled, 'late'>,
  { policy, verdict, reasoning }: TrustGateResult,
): Pick<ProposeResult, 'message'> & Partial<Pick<ProposeResult, 'status'>> {
  switch (settled) {
    case 'approve':
      return { message: 'Approved by the model; it is part of the record now.' };
    case 'reject':
      return { message: 'Rejected by the model; save a new thought that answers its reasoning.' };
    case 'request_changes':
      return { status: 'rejected', message: 'The model asks for changes: update the draft, then propose it again.' };
    case 'error':
      return { message: `${reasoning}. ${ERROR_NEXT}` };
    case 'advise':
      if (verdict === 'error') return { message: waits(`${reasoning}; proposing it again asks again`) };
      if (policy === 'llm-then-human') return { message: waits('The model advises to approve it') };
      return { message: waits('It comes close to a rejected value, which no model may approve') };
  }
}

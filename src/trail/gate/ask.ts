/** Asks the model, and says in our words what came of it. What goes out is looked through for secrets first. */
import { UNSEEN } from '../../record/reveal.ts';
import { type ChatMessage, chat, type ModelFailure } from '../../review/chat.ts';
import { askDecision, decisionState } from '../../review/decisions.ts';
import { type Egress, modelEgress, noEgress } from '../../review/egress.ts';
import { type Material, reviewMessages } from '../../review/prompt.ts';
import { readVerdict, VERDICT_FAULTS } from '../../review/verdict.ts';
import { findSecretThoroughly } from '../../secrets/second-opinion.ts';
import type { Instructions } from './gather.ts';
import type { GatePolicy, ModelPolicy } from './policy.ts';

export type ModelGate = Extract<GatePolicy, { policy: ModelPolicy }>;

/** What a model said; `error` when it said nothing that counts. */
export interface Judgement {
  readonly verdict: 'approve' | 'reject' | 'error';
  /** The model's, text of a stranger; of an error and of `decisions` ours. */
  readonly reasoning: string;
  /** Name of the failure. */
  readonly error?: string;
  readonly confidence?: number;
  /** Of `decisions`, under the names FAVA stores them by. */
  readonly noul_probability?: number;
  readonly threshold?: number;
}

export interface Question {
  readonly gate: ModelGate;
  readonly instructions: Instructions;
  readonly material: Material;
}

export interface AskOptions {
  readonly signal?: AbortSignal | undefined;
  /** Told before anything leaves, and not at all when nothing does. */
  readonly announce: (egress: Egress) => void;
}

export interface Asked {
  /** `null`: the caller gave up, so nothing was judged. */
  readonly judgement: Judgement | null;
  readonly egress: Egress;
}

/** Never throws for what a provider does. */
export async function askModel(question: Question, { signal, announce }: AskOptions): Promise<Asked> {
  const { gate, instructions, material } = question;
  const ready = gate.policy === 'decisions' ? readyDecision(gate, question) : readyChat(gate, question);
  if (ready === null) {
    const why = 'the text is too long for a review by a model';
    return { judgement: failed('too_long', `${upper(why)}; a person can decide`), egress: noEgress(gate.policy, why) };
  }
  const { question: asked = '' } = gate.settings.decisions;
  const found = await findSecretThoroughly({ instructions: instructions.text, asked, material });
  if (found !== null) {
    const why = `it holds what looks like a secret (${found.rule})`;
    return { judgement: failed('secret', upper(why)), egress: noEgress(gate.policy, why) };
  }
  const egress = modelEgress(gate.policy, gate.model);
  announce(egress);
  return { judgement: await ready(signal), egress };
}

type Ready = (signal: AbortSignal | undefined) => Promise<Judgement | null>;

function readyChat({ model }: ModelGate, { instructions, material }: Question): Ready | null {
  const messages: readonly ChatMessage[] | null = reviewMessages(instructions.text, material);
  if (messages === null) return null;
  return async (signal) => {
    const reply = await chat(model, messages, { json: true, signal });
    if (!reply.ok) return failedCall(reply.reason);
    const read = readVerdict(reply.text);
    const reasoning = read.ok ? read.value.reasoning.replace(UNSEEN, '\ufffd') : '';
    // As it would be stored: in the JSON of the answer an escape may hide it.
    const found = await findSecretThoroughly([reply.text, read.ok ? read.value.reasoning : '', reasoning]);
    if (found !== null) return failed('secret_in_answer', `The answer holds what looks like a secret (${found.rule})`);
    if (!read.ok) return failed(read.fault, `The answer is no verdict: ${VERDICT_FAULTS[read.fault]}`);
    return { ...read.value, reasoning };
  };
}

function readyDecision({ model, settings }: ModelGate, { instructions, material }: Question): Ready | null {
  const { question, threshold } = settings.decisions;
  const { decisions } = model;
  if (question === null || decisions === null) throw new Error('The policy was chosen without its question or place');
  const state = decisionState({ instructions: instructions.text, material, question });
  if (state === null) return null;
  return async (signal) => {
    const place = { ...model, address: decisions.address };
    const reply = await askDecision(place, { state, question }, { path: decisions.path, signal });
    if (!reply.ok) return failedCall(reply.reason);
    const { probability } = reply;
    const isOver = probability >= threshold;
    return {
      verdict: isOver ? 'approve' : 'reject',
      reasoning: `The number ${probability} is ${isOver ? 'not ' : ''}below the threshold ${threshold}; no reasons were given`,
      noul_probability: probability,
      threshold,
    };
  };
}

const FAILURES: Readonly<Record<Exclude<ModelFailure, `status ${number}` | 'cancelled'>, string>> = {
  unreachable: 'The model cannot be reached',
  timed_out: 'The model did not answer in time',
  too_large: 'The answer is too large',
  redirected: 'The model answered with a redirect, which is not followed',
  not_understood: 'The answer is none of the API that was asked',
  cut_off: 'The model stopped before the end of its answer',
};

function failedCall(reason: ModelFailure): Judgement | null {
  if (reason === 'cancelled') return null;
  // Everything but a status is in the table.
  const status = /^status (\d+)$/.exec(reason)?.[1];
  if (status === '401' || status === '403') {
    return failed(
      `status_${status}`,
      `The model refused this machine's key (status ${status}), which a person must mend`,
    );
  }
  if (status !== undefined) return failed(`status_${status}`, `The model answered with status ${status}`);
  return failed(reason, Object.entries(FAILURES).find(([name]) => name === reason)?.[1] ?? 'The model failed');
}

function failed(error: string, reasoning: string): Judgement {
  return { verdict: 'error', reasoning, error };
}

function upper(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}

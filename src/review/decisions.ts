/**
 * FAVA 0.8's policy `decisions` (fava.md 4): one question to a service that answers with a number from 0 to 1 and gives no
 * reasons. A single attempt; whatever is not exactly such an answer is a failure.
 */
import { z } from 'zod';
import { boundedRequest, jsonOf } from '../net/bounded-request.ts';
import type { ModelFailure } from './chat.ts';
import { inertJson, MAX_REQUEST_BYTES, type Material, sizeOf } from './prompt.ts';
import { type ChatProvider, headersOf, timeoutMsOf } from './provider.ts';

export interface DecisionQuestion {
  readonly instructions: string;
  readonly material: Material;
  /** Asked of the candidate, e.g. whether it should be kept. */
  readonly question: string;
}

export interface DecisionOptions {
  /** Below the provider's address. */
  readonly path: 'alpha/decisions' | 'v1/systemone';
  readonly signal?: AbortSignal | undefined;
}

export type DecisionReply =
  | { readonly ok: true /** 0 to 1. */; readonly probability: number }
  | { readonly ok: false; readonly reason: ModelFailure };

const MAX_REPLY_BYTES = 64 * 1024;

const reply = z.looseObject({
  answers: z.looseObject({ trust: z.looseObject({ noul: z.number().min(0).max(1) }) }),
});

/** What is put before the service, as it is sent. */
export type DecisionState = Readonly<
  Record<'review_instructions' | 'thought_under_review' | 'thought_metadata', string>
>;

/** `null` when the request would be larger than {@link MAX_REQUEST_BYTES}. */
export function decisionState({ instructions, material, question }: DecisionQuestion): DecisionState | null {
  const { thought_under_review, ...others } = material;
  const { text, ...fields } = thought_under_review;
  const state = {
    review_instructions: instructions,
    thought_under_review: inertJson(text),
    thought_metadata: inertJson({ ...fields, ...others }),
  };
  return sizeOf([question, ...Object.values(state)]) > MAX_REQUEST_BYTES ? null : state;
}

/** Never throws. */
export async function askDecision(
  provider: ChatProvider,
  { state, question }: { readonly state: DecisionState; readonly question: string },
  { path, signal }: DecisionOptions,
): Promise<DecisionReply> {
  const { address, model } = provider;
  const answer = await boundedRequest({
    url: `${address}/${path}`,
    method: 'POST',
    headers: headersOf(provider),
    body: JSON.stringify({ model, state, questions: { trust: { type: 'noul', instructions: question } } }),
    timeoutMs: timeoutMsOf(provider),
    maxBytes: MAX_REPLY_BYTES,
    ...(signal ? { signal } : {}),
  });
  if (!answer.ok) return { ok: false, reason: answer.reason };
  if (answer.status !== 200) return { ok: false, reason: `status ${answer.status}` };
  const parsed = reply.safeParse(jsonOf(answer.body));
  return parsed.success
    ? { ok: true, probability: parsed.data.answers.trust.noul }
    : { ok: false, reason: 'not_understood' };
}

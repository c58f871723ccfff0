/** One question to the model that this machine is configured for, over the OpenAI-compatible chat API. */
import { z } from 'zod';
import { jsonOf, type RequestFailure } from '../net/bounded-request.ts';
import { type ChatProvider, headersOf, timeoutMsOf } from './provider.ts';
import { requestWithRetries } from './retry.ts';

export interface ChatMessage {
  readonly role: 'system' | 'user';
  readonly content: string;
}

export interface ChatOptions {
  /** Asks for JSON; of a server that does not know how, `trust_gate_extra_body` takes it back. @default false */
  readonly json?: boolean;
  readonly signal?: AbortSignal | undefined;
  /** See `retry.ts`. */
  readonly waitsMs?: readonly number[];
}

/**
 * What went wrong, in our words: a provider's own may repeat the key or the question. `cut_off`: the model did not come to
 * an end, so what it said so far is no answer.
 */
export type ModelFailure = RequestFailure | 'not_understood' | 'cut_off' | `status ${number}`;

export type ChatReply =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly reason: ModelFailure };

const MAX_REPLY_BYTES = 1024 * 1024;

/** Exactly one choice: of several nobody could say which is the answer. */
const reply = z.looseObject({
  choices: z.tuple([
    z.looseObject({
      finish_reason: z.string().nullish(),
      message: z.looseObject({ content: z.string().min(1) }),
    }),
  ]),
});

/** Never throws. The answer is text of a stranger. */
export async function chat(
  provider: ChatProvider,
  messages: readonly ChatMessage[],
  { json = false, signal, waitsMs }: ChatOptions = {},
): Promise<ChatReply> {
  const { address, model, extraBody } = provider;
  const format = json ? { response_format: { type: 'json_object' } } : {};
  const answer = await requestWithRetries(
    {
      url: `${address}/chat/completions`,
      method: 'POST',
      headers: headersOf(provider),
      body: JSON.stringify({ temperature: 0, ...format, ...extraBody, model, messages, stream: false }),
      maxBytes: MAX_REPLY_BYTES,
    },
    { timeoutMs: timeoutMsOf(provider), signal, waitsMs },
  );
  if (!answer.ok) return { ok: false, reason: answer.reason };
  if (answer.status !== 200) return { ok: false, reason: `status ${answer.status}` };
  const parsed = reply.safeParse(jsonOf(answer.body));
  if (!parsed.success) return { ok: false, reason: 'not_understood' };
  const { finish_reason, message } = parsed.data.choices[0];
  const isCut = finish_reason === 'length' || finish_reason === 'content_filter';
  return isCut ? { ok: false, reason: 'cut_off' } : { ok: true, text: message.content };
}

/** One question to the model that this machine is configured for, over the OpenAI-compatible chat API. */
import { z } from 'zod';
import { boundedRequest, jsonOf, type RequestFailure } from '../net/bounded-request.ts';

export interface ChatProvider {
  /** Base address without its final slash, e.g. `https://models.example/v1`. */
  readonly address: string;
  /** Sent in the `Authorization` header and nowhere else. */
  readonly key: string;
  readonly model: string;
  /** 0 is as long as is waited at all. */
  readonly timeoutSeconds: number;
  /** Merged into the request; cannot change what is asked. */
  readonly extraBody: Readonly<Record<string, unknown>>;
}

export interface ChatMessage {
  readonly role: 'system' | 'user';
  readonly content: string;
}

export type ChatReply =
  | { readonly ok: true; readonly text: string }
  /** What went wrong, in our words: a provider's own may repeat the key or the question. */
  | { readonly ok: false; readonly reason: RequestFailure | 'not_understood' | `status ${number}` };

const MAX_SECONDS = 300;
const MAX_REPLY_BYTES = 1024 * 1024;

const reply = z.looseObject({
  choices: z.tuple([z.looseObject({ message: z.looseObject({ content: z.string().min(1) }) })]).rest(z.unknown()),
});

/** Never throws. The answer is text of a stranger. */
export async function chat(provider: ChatProvider, messages: readonly ChatMessage[]): Promise<ChatReply> {
  const { address, key, model, timeoutSeconds, extraBody } = provider;
  const answer = await boundedRequest({
    url: `${address}/chat/completions`,
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ temperature: 0, ...extraBody, model, messages, stream: false }),
    timeoutMs: Math.min(timeoutSeconds || MAX_SECONDS, MAX_SECONDS) * 1_000,
    maxBytes: MAX_REPLY_BYTES,
  });
  if (!answer.ok) return { ok: false, reason: answer.reason };
  if (answer.status !== 200) return { ok: false, reason: `status ${answer.status}` };
  const parsed = reply.safeParse(jsonOf(answer.body));
  return parsed.success
    ? { ok: true, text: parsed.data.choices[0].message.content }
    : { ok: false, reason: 'not_understood' };
}

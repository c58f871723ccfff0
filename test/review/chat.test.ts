import { expect, test } from 'vitest';
import { chat } from '../../src/review/chat.ts';
import type { ChatProvider } from '../../src/review/provider.ts';
import { endless, redirect, stalled } from '../fakes/atrib-log.ts';
import { type FakeChat, says, startChat } from '../fakes/chat-server.ts';

const KEY = 'key-that-nobody-may-see';
const QUESTION = [{ role: 'user' as const, content: 'What happened?' }];

function providerAt(fake: FakeChat, over: Partial<ChatProvider> = {}): ChatProvider {
  return { address: fake.url, key: KEY, model: 'maker/model', timeoutSeconds: 5, extraBody: {}, ...over };
}

test('a question goes to the configured model with the key in its header, and the text comes back', async () => {
  await using fake = await startChat();
  fake.respond = says('It was decided.');
  const extraBody = { top_p: 0.5, model: 'another', messages: [], stream: true };
  expect(await chat(providerAt(fake, { extraBody }), QUESTION)).toEqual({ ok: true, text: 'It was decided.' });
  const [request] = fake.requests;
  expect(request).toMatchObject({ model: 'maker/model', messages: QUESTION, stream: false, top_p: 0.5 });
  expect(request?.headers).toMatchObject({ authorization: `Bearer ${KEY}` });
  expect(request?.headers).not.toHaveProperty('cookie');
  expect(JSON.stringify({ ...request, headers: {} })).not.toContain(KEY);
});

const answers: readonly (readonly [name: string, respond: FakeChat['respond'], reason: string])[] = [
  ['a refused key', (response) => void response.writeHead(401).end(`{"error":"bad key ${KEY}"}`), 'status 401'],
  ['a server error', (response) => void response.writeHead(500).end(KEY), 'status 500'],
  ['a page', (response) => void response.writeHead(200).end('<html></html>'), 'not_understood'],
  ['no choices', (response) => void response.writeHead(200).end('{"choices":[]}'), 'not_understood'],
  ['an empty text', says(''), 'not_understood'],
  ['a redirect', redirect('http://127.0.0.1:9/elsewhere'), 'redirected'],
  ['a body without end', endless, 'too_large'],
  ['a body that stalls', stalled, 'timed_out'],
  ['a closed connection', (response) => void response.destroy(), 'unreachable'],
];

test.each(answers)('%s is a failure in our words, without the key', async (_name, respond, reason) => {
  await using fake = await startChat();
  fake.respond = respond;
  const reply = await chat(providerAt(fake, { timeoutSeconds: 1 }), QUESTION);
  expect(reply).toEqual({ ok: false, reason });
  expect(JSON.stringify(reply)).not.toContain(KEY);
  fake.respond = says('yes');
  expect(await chat(providerAt(fake), QUESTION)).toEqual({ ok: true, text: 'yes' });
});

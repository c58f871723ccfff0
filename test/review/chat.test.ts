import { expect, test } from 'vitest';
import { chat } from '../../src/review/chat.ts';
import type { ChatProvider } from '../../src/review/provider.ts';
import { endless, redirect, stalled } from '../fakes/atrib-log.ts';
import { says as chatSays, type FakeChat, startChat } from '../fakes/chat-server.ts';
import { type Answer, inTurn, says, sends, startGate } from '../fakes/gate-server.ts';

const KEY = 'key-that-nobody-may-see';
const QUESTION = [{ role: 'user' as const, content: 'What happened?' }];

function providerAt(fake: Pick<FakeChat, 'url'>, over: Partial<ChatProvider> = {}): ChatProvider {
  return { address: fake.url, key: KEY, model: 'maker/model', timeoutSeconds: 5, extraBody: {}, ...over };
}

test('a question goes to the configured model with the key in its header, and the text comes back', async () => {
  await using fake = await startChat();
  fake.respond = chatSays('It was decided.');
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
  ['an empty text', chatSays(''), 'not_understood'],
  ['a redirect', redirect('http://127.0.0.1:9/elsewhere'), 'redirected'],
  ['a body without end', endless, 'too_large'],
  ['a body that stalls', stalled, 'timed_out'],
  ['a closed connection', (response) => void response.destroy(), 'unreachable'],
];

test.each(answers)('%s is a failure in our words, without the key', async (_name, respond, reason) => {
  await using fake = await startChat();
  fake.respond = respond;
  const reply = await chat(providerAt(fake, { timeoutSeconds: 1 }), QUESTION, { waitsMs: [1] });
  expect(reply).toEqual({ ok: false, reason });
  expect(JSON.stringify(reply)).not.toContain(KEY);
  fake.respond = chatSays('yes');
  expect(await chat(providerAt(fake), QUESTION)).toEqual({ ok: true, text: 'yes' });
});

test('what may pass is asked again a few times, and what stays so is not', async () => {
  await using fake = await startGate();
  const ask = async (...answers: readonly Answer[]) => {
    fake.asked.length = 0;
    fake.answer = inTurn(...answers);
    return [await chat(providerAt(fake), QUESTION, { waitsMs: [1, 2] }), fake.asked.length];
  };
  const busy = sends(429, '', { 'retry-after': '0' });
  const dropped: Answer = (response) => void response.destroy();
  expect(await ask(busy, sends(503, ''), says('yes'))).toEqual([{ ok: true, text: 'yes' }, 3]);
  expect(await ask(dropped, says('yes'))).toEqual([{ ok: true, text: 'yes' }, 2]);
  expect(await ask(sends(502, ''))).toEqual([{ ok: false, reason: 'status 502' }, 3]);
  for (const status of [400, 401, 403, 404]) {
    expect(await ask(sends(status, ''), says('yes'))).toEqual([{ ok: false, reason: `status ${status}` }, 1]);
  }
  expect(await ask(says('cut', { finish_reason: 'length' }), says('yes'))).toEqual([
    { ok: false, reason: 'cut_off' },
    1,
  ]);
});

test('Retry-After makes a wait longer, in seconds or as a date, and what asks for more than the bound is not waited for', async () => {
  await using fake = await startGate();
  const ask = async (retryAfter: string, timeoutSeconds = 5) => {
    fake.asked.length = 0;
    fake.answer = inTurn(sends(429, '', { 'retry-after': retryAfter }), says('yes'));
    const started = performance.now();
    const reply = await chat(providerAt(fake, { timeoutSeconds }), QUESTION, { waitsMs: [1] });
    return { ok: reply.ok, asked: fake.asked.length, waited: performance.now() - started };
  };
  const inSeconds = await ask('1');
  expect(inSeconds).toMatchObject({ ok: true, asked: 2 });
  expect(inSeconds.waited).toBeGreaterThan(950);
  expect(await ask(new Date(0).toUTCString())).toMatchObject({ ok: true, asked: 2 });
  expect(await ask('soon')).toMatchObject({ ok: true, asked: 2 });
  expect(await ask('3600')).toMatchObject({ ok: false, asked: 1 });
  expect(await ask(new Date(Date.now() + 86_400_000).toUTCString())).toMatchObject({ ok: false, asked: 1 });
  expect(await ask('30', 60)).toMatchObject({ ok: false, asked: 1 });
  // Longer than is left of the whole question.
  expect(await ask('4', 1)).toMatchObject({ ok: false, asked: 1 });
});

test('a caller who gives up ends the question, also between two attempts', async () => {
  await using fake = await startGate();
  const ask = async (answer: Answer, waitsMs: readonly number[]) => {
    const giveUp = new AbortController();
    fake.answer = async (response, asked) => {
      await answer(response, asked);
      setImmediate(() => giveUp.abort());
    };
    return chat(providerAt(fake), QUESTION, { signal: giveUp.signal, waitsMs });
  };
  expect(await ask(() => undefined, [])).toEqual({ ok: false, reason: 'cancelled' });
  fake.asked.length = 0;
  expect(await ask(sends(503, ''), [4_000])).toEqual({ ok: false, reason: 'cancelled' });
  expect(fake.asked).toHaveLength(1);
});

test('a model of this machine without a key is asked without one, and for JSON where that is wanted', async () => {
  await using fake = await startGate();
  fake.answer = says('{}');
  await chat(providerAt(fake, { key: null }), QUESTION, { json: true });
  expect(fake.asked[0]?.headers).not.toHaveProperty('authorization');
  expect(JSON.parse(fake.asked[0]?.text ?? '')).toMatchObject({ response_format: { type: 'json_object' } });
  await chat(providerAt(fake, { extraBody: { response_format: { type: 'text' } } }), QUESTION, { json: true });
  expect(JSON.parse(fake.asked[1]?.text ?? '')).toMatchObject({ response_format: { type: 'text' } });
});

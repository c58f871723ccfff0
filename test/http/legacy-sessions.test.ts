/** Sessions of 2025-era clients: for those that can be asked, each its opener's alone, bounded, and ended. */
import { Server } from '@modelcontextprotocol/server';
import { expect, test } from 'vitest';
import { type LegacySessions, legacySessions } from '../../src/http/legacy-sessions.ts';
import { guardedApp, tokenFor, toolCall } from '../support/access.ts';
import { makeRecord } from '../support/record.ts';

function initialize(capabilities: object): string {
  const clientInfo = { name: 'test', version: '0' };
  const params = { protocolVersion: '2025-11-25', capabilities, clientInfo };
  return JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
}

const { headers } = toolCall('recall', {});

function post(body: string, session?: string): Request {
  const sent = { ...headers, ...(session === undefined ? {} : { 'mcp-session-id': session }) };
  return new Request('http://127.0.0.1/mcp', { method: 'POST', headers: sent, body });
}

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

function sessionsOf(options: Partial<Parameters<typeof legacySessions>[0]> = {}): LegacySessions {
  return legacySessions({ create: () => new Server({ name: 'x', version: '0' }, { capabilities: {} }), ...options });
}

async function open(sessions: LegacySessions, owner: string): Promise<string> {
  const response = await sessions.answer({ request: post(initialize({ elicitation: {} })), owner });
  return response?.headers.get('mcp-session-id') ?? '';
}

async function isAlive(
  sessions: LegacySessions,
  at: { readonly id: string; readonly owner: string },
): Promise<boolean> {
  const response = await sessions.answer({ request: post(PING, at.id), owner: at.owner });
  const text = await response?.text();
  if (response?.status === 404) expect(text).toContain('initialize again');
  return response?.status === 200;
}

test('only an initialize that declares elicitation opens one; other requests are left as they were', async () => {
  const sessions = sessionsOf();
  for (const request of [
    post(initialize({})),
    post(PING),
    post('{'),
    post(`[${initialize({ elicitation: {} })}]`),
    new Request('http://127.0.0.1/mcp'),
  ]) {
    const wanted = await request.clone().text();
    expect(await sessions.answer({ request, owner: 'alice' })).toBeNull();
    expect(await request.text()).toBe(wanted);
  }
  expect(sessions.count()).toBe(0);
  const id = await open(sessions, 'alice');
  expect(await isAlive(sessions, { id, owner: 'alice' })).toBe(true);
  await sessions.close();
  expect(await isAlive(sessions, { id, owner: 'alice' })).toBe(false);
});

test("another's session is no other than none, and goes on for its own", async () => {
  const sessions = sessionsOf();
  const id = await open(sessions, 'alice');
  const answers = await Promise.all(
    [id, crypto.randomUUID(), 'x'].map(async (name) => {
      const response = await sessions.answer({ request: post(PING, name), owner: 'bob' });
      return [response?.status, await response?.text()];
    }),
  );
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  expect(answers[0]?.[0]).toBe(404);
  expect(await isAlive(sessions, { id, owner: 'alice' })).toBe(true);
  await sessions.answer({
    request: new Request('http://127.0.0.1/mcp', { method: 'DELETE', headers: { 'mcp-session-id': id } }),
    owner: 'bob',
  });
  expect(sessions.count()).toBe(1);
  await sessions.answer({
    request: new Request('http://127.0.0.1/mcp', { method: 'DELETE', headers: { 'mcp-session-id': id } }),
    owner: 'alice',
  });
  expect(sessions.count()).toBe(0);
});

test('the longest unused makes room, of the caller first, and an idle one ends', async () => {
  let clock = 0;
  const sessions = sessionsOf({ limits: { all: 3, each: 2 }, idleMs: 1_000, now: () => clock });
  const [first, second, other] = [
    await open(sessions, 'alice'),
    await open(sessions, 'alice'),
    await open(sessions, 'bob'),
  ];
  expect(await isAlive(sessions, { id: first, owner: 'alice' })).toBe(true);
  const third = await open(sessions, 'alice');
  const alive = async () => ({
    first: await isAlive(sessions, { id: first, owner: 'alice' }),
    second: await isAlive(sessions, { id: second, owner: 'alice' }),
    third: await isAlive(sessions, { id: third, owner: 'alice' }),
    other: await isAlive(sessions, { id: other, owner: 'bob' }),
  });
  expect(await alive()).toEqual({ first: true, second: false, third: true, other: true });
  await open(sessions, 'carol');
  expect(await alive()).toEqual({ first: false, second: false, third: true, other: true });
  clock = 1_001;
  expect(await alive()).toEqual({ first: false, second: false, third: false, other: false });
  await sessions.close();
});

test('each request of a session is authenticated by itself: a revoked token ends in 401, another caller in 404', async () => {
  await using t = await makeRecord();
  await using guarded = guardedApp(t);
  const alice = await tokenFor(t, { agentId: 'alice' });
  const bob = await tokenFor(t, { agentId: 'bob' });
  const opened = await guarded.ask('/mcp', {
    method: 'POST',
    ...(headers === undefined ? {} : { headers }),
    body: initialize({ elicitation: {} }),
    token: alice.text,
  });
  const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
  const save = toolCall('save_thought', { trail_name: 'a', content: 'In a session' });
  const inSession = { ...save, headers: { ...save.headers, ...session } };
  const saved = await guarded.ask('/mcp', { ...inSession, token: alice.text });
  expect(await saved.text()).toContain('\\"agent_id\\":\\"alice\\"');
  expect((await guarded.ask('/mcp', { ...inSession, token: bob.text })).status).toBe(404);
  expect((await guarded.ask('/mcp', inSession)).status).toBe(401);
  expect((await guarded.ask('/mcp', { ...save, token: bob.text })).status).toBe(200);
});

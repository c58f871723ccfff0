/** Who a request comes from: by what it carries, and by nothing else. */
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { DEFAULT_SERVE_SETTINGS } from '../../src/config/index.ts';
import type { BrowserLookup } from '../../src/http/caller.ts';
import type { Credential } from '../../src/record/principal.ts';
import { Tokens } from '../../src/trail/tokens/tokens.ts';
import { guardedApp, structuredOf, tokenFor, toolCall } from '../support/access.ts';
import { makeRecord, value } from '../support/record.ts';

const SAVE = toolCall('save_thought', { trail_name: 'a', content: 'Who am I' });

test('without a credential everyone is the process, from the first token on nobody is', async () => {
  await using t = await makeRecord();
  await using served = guardedApp(t);
  const before = await served.ask('/mcp', SAVE);
  expect(structuredOf(await before.text())).toMatchObject({ thought: { agent_id: 'local-agent' } });
  const { text, token } = await tokenFor(t);
  expect((await served.ask('/mcp', SAVE)).status).toBe(401);
  const named = await served.ask('/mcp', { ...SAVE, token: text });
  expect(structuredOf(await named.text())).toMatchObject({ thought: { agent_id: 'alice' } });
  // A server does not fall open when the last token ends.
  value(await new Tokens(t.record).revoke(token.id));
  expect((await served.ask('/mcp', { ...SAVE, token: text })).status).toBe(401);
  expect((await served.ask('/mcp', SAVE)).status).toBe(401);
});

test('where others reach the server nobody is the process, though no token was made', async () => {
  await using t = await makeRecord();
  await using served = guardedApp(t, { isRemote: true });
  expect((await served.ask('/mcp', SAVE)).status).toBe(401);
  expect((await served.ask('/healthz')).status).toBe(200);
});

test('a person’s token opens MCP only when it was made for it', async () => {
  await using t = await makeRecord();
  await using served = guardedApp(t);
  const grants = ['**:read,write,decide'];
  for (const role of ['reviewer', 'operator'] as const) {
    const desk = await tokenFor(t, { agentId: 'ana', role, grants });
    const refused = await served.ask('/mcp', { ...SAVE, token: desk.text });
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({ code: 'forbidden', message: expect.stringContaining('--allow-mcp') });
    const both = await tokenFor(t, { agentId: 'ana', role, grants, allowMcp: true });
    expect((await served.ask('/mcp', { ...SAVE, token: both.text })).status).toBe(200);
  }
});

test('a bad bearer token is refused although a cookie is good; a session ends with its token; no cookie opens MCP', async () => {
  await using t = await makeRecord();
  const grants = ['**:read,decide'];
  const made = await tokenFor(t, { agentId: 'ana', role: 'operator', grants });
  const credential: Credential = {
    ...{ id: made.token.id, agent_id: 'ana', role: 'operator', grants: [], authenticated_by: 'token' },
  };
  const ended: string[] = [];
  const browsers: BrowserLookup = {
    find: (cookie) => (cookie === 'good' ? { credential, browser: { id: 'b1', csrf: 'x', expires: Infinity } } : null),
    end: (id) => void ended.push(id),
  };
  await using served = guardedApp(t, { browsers });
  const ask = (headers: Readonly<Record<string, string>>, path = '/nowhere') => served.ask(path, { headers });
  expect((await ask({ cookie: 'waymark_session=good' })).status).toBe(404);
  expect((await ask({ cookie: 'waymark_session=bad' })).status).toBe(401);
  expect((await ask({ cookie: '__Host-waymark_session=good' })).status).toBe(401);
  expect((await ask({ cookie: 'waymark_session=good', authorization: 'Bearer nonsense' })).status).toBe(401);
  const mcp = await served.ask('/mcp', { ...SAVE, headers: { ...SAVE.headers, cookie: 'waymark_session=good' } });
  expect(mcp.status).toBe(401);
  value(await new Tokens(t.record).revoke(made.token.id));
  expect((await ask({ cookie: 'waymark_session=good' })).status).toBe(401);
  expect(ended).toEqual(['b1']);

  await using secure = guardedApp(t, { browsers, settings: { public_url: 'https://waymark.example' } });
  const host = 'waymark.example';
  const plain = await secure.ask('/nowhere', { headers: { host, cookie: 'waymark_session=good' } });
  expect(plain.status).toBe(401);
});

test('a browser without a session is led to sign in and back, and a program is told what it lacks', async () => {
  await using t = await makeRecord();
  await tokenFor(t);
  await using served = guardedApp(t);
  const page = { accept: 'text/html,application/xhtml+xml' };
  const read = await served.ask('/s/acme/eng?valid_at=2026-01-01', { headers: page });
  expect([read.status, read.headers.get('location')]).toEqual([
    303,
    '/login?next=%2Fs%2Facme%2Feng%3Fvalid_at%3D2026-01-01',
  ]);
  const sent = await served.ask('/desk/x', { method: 'POST', headers: page, body: 'a=b' });
  expect([sent.status, sent.headers.get('location')]).toEqual([303, '/login']);
  const mcp = await served.ask('/mcp', { headers: page });
  expect(mcp.status).toBe(401);
  const program = await served.ask('/s/acme/eng');
  expect(program.status).toBe(401);
  expect(program.headers.get('www-authenticate')).toContain(
    'resource_metadata="http://127.0.0.1:8765/.well-known/oauth-protected-resource/mcp"',
  );
  expect(await program.json()).toMatchObject({ code: 'unauthorized', next: expect.stringContaining('token create') });
});

test('failures are logged without the credential, bounded, and never recorded; good callers pass meanwhile', async () => {
  await using t = await makeRecord();
  const { text, token } = await tokenFor(t);
  await using served = guardedApp(t, {
    settings: {
      trusted_proxies: ['10.0.0.1'],
      limits: { ...DEFAULT_SERVE_SETTINGS.limits, failures_per_minute: 6 },
    },
  });
  const commits = () => execFileSync('git', ['rev-list', '--count', 'main'], { cwd: t.root, encoding: 'utf8' }).trim();
  const before = commits();
  const wrong = `wm_${token.id}_${'x'.repeat(43)}`;
  const ask = (headers: Readonly<Record<string, string>> = {}) =>
    served.ask('/mcp', { ...SAVE, token: wrong, from: '10.0.0.1', headers: { ...SAVE.headers, ...headers } });
  const statuses: number[] = [];
  for (let times = 0; times < 8; times += 1) {
    statuses.push((await ask({ 'x-forwarded-for': '203.0.113.9' })).status);
  }
  expect(statuses.slice(0, 6)).toEqual(Array(6).fill(401));
  expect(statuses.at(-1)).toBe(429);
  const limited = await ask({ 'x-forwarded-for': '203.0.113.9' });
  expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await ask({ 'x-forwarded-for': '203.0.113.10' })).status).toBe(401);
  expect(commits()).toBe(before);
  const forwarded = { ...SAVE.headers, 'x-forwarded-for': '203.0.113.9' };
  const good = await served.ask('/mcp', { ...SAVE, token: text, from: '10.0.0.1', headers: forwarded });
  expect(structuredOf(await good.text())).toMatchObject({ status: 'ok' });
  expect(commits()).not.toBe(before);
  const logged = served.logged();
  expect(logged).toContain('"auth":"unknown"');
  expect(logged).toContain('203.0.113.9');
  expect(logged).not.toContain(wrong);
  expect(logged.match(/"auth":/g)?.length).toBeLessThan(10);
});

test('a caller that asks too much gets 429 with a time, and no other caller does', async () => {
  let time = Date.parse('2026-12-01T00:00:00Z');
  await using t = await makeRecord({ now: () => time });
  const [alice, bob] = [await tokenFor(t), await tokenFor(t, { agentId: 'bob' })];
  await using served = guardedApp(t, {
    settings: { limits: { ...DEFAULT_SERVE_SETTINGS.limits, requests_per_minute: 50, mebibytes_per_minute: 50 } },
  });
  const ask = (token: string) => served.ask('/nowhere', { token });
  for (let times = 0; times < 5; times += 1) expect((await ask(alice.text)).status).toBe(404);
  const limited = await ask(alice.text);
  expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '2']);
  expect((await ask(bob.text)).status).toBe(404);
  time += 2_000;
  expect((await ask(alice.text)).status).toBe(404);

  time += 60_000;
  const body = 'x'.repeat(3 * 1024 * 1024);
  const send = (token: string) => served.ask('/nowhere', { method: 'POST', token, body });
  expect((await send(alice.text)).status).toBe(404);
  expect((await send(alice.text)).status).toBe(429);
  expect((await send(bob.text)).status).toBe(404);
});

test('a body of nobody’s is small: 413 above 64 KiB, where a caller may send 8 MiB', async () => {
  await using t = await makeRecord();
  const { text } = await tokenFor(t);
  await using served = guardedApp(t);
  const send = (bytes: number, token?: string) =>
    served.ask('/login', { method: 'POST', body: 'x'.repeat(bytes), ...(token === undefined ? {} : { token }) });
  expect((await send(64 * 1024)).status).toBe(404);
  expect((await send(64 * 1024 + 1)).status).toBe(413);
  expect((await send(8 * 1024 * 1024, text)).status).toBe(404);
  expect((await send(8 * 1024 * 1024 + 1, text)).status).toBe(413);
});

/** Signing in to the desk and out: links, tokens, cookies, and what a session rests on. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { IDLE_MS, LONGEST_MS } from '../../../src/http/web/browser-sessions.ts';
import { ok } from '../../../src/record/outcome.ts';
import { deskFolder } from '../../../src/trail/desk/desk-folder.ts';
import { createLoginLink, LINK_MS, takeLoginLink } from '../../../src/trail/desk/login-links.ts';
import { announceAddress, announcedAddress, withdrawAddress } from '../../../src/trail/desk/server-address.ts';
import { revokeKey } from '../../../src/trail/revoke-key.ts';
import { Tokens } from '../../../src/trail/tokens/tokens.ts';
import { tokenFor } from '../../support/access.ts';
import { type Desk, field, hiddenOf, openDesk } from '../../support/desk.ts';
import { operators } from '../../support/operators.ts';
import { makeRecord, type TestRecord, value } from '../../support/record.ts';

const START = Date.UTC(2026, 0, 5);
let time = START;
let t: TestRecord;
let desk: Desk;

beforeAll(async () => {
  t = await makeRecord({ now: () => time });
  await operators(t, ['carol', 'dave']);
  desk = openDesk(t);
});
// Limits of attempts are by the minute.
beforeEach(() => {
  time += 60_000;
});
afterAll(async () => {
  await desk[Symbol.asyncDispose]();
  await t[Symbol.asyncDispose]();
});

async function link(person = 'carol'): Promise<string> {
  return value(await createLoginLink(t.record, await t.session(person, { operator: true }).context()));
}

describe('a one-time link', () => {
  test('signs in once: opening it uses nothing up, and it is a private file without its code', async () => {
    const code = await link();
    const folder = deskFolder(t.record);
    const [file = ''] = readdirSync(folder);
    expect(file).toMatch(/^login-[0-9a-f]{64}\.json$/);
    expect(file).not.toContain(code);
    expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);

    const browser = desk.browser();
    const looks = [await browser.get(`/login?code=${code}`), await browser.get(`/login?code=${code}`)];
    expect(looks.map(({ status }) => status)).toEqual([200, 200]);
    const page = looks[1] ?? expect.fail();
    const fields = { csrf: field(page, 'csrf'), code };
    expect(await browser.post('/login', fields)).toMatchObject({ status: 303, location: '/desk' });
    expect((await browser.get('/desk')).text).toContain('<b>carol</b>');

    const other = desk.browser();
    const csrf = field(await other.get(`/login?code=${code}`), 'csrf');
    expect(await other.post('/login', { csrf, code })).toMatchObject({ status: 401 });
    expect(await other.get('/desk')).toMatchObject({ status: 403 });
  });

  test('expires after ten minutes, and a moment earlier it does not', async () => {
    const [early, late] = [await link(), await link()];
    time += LINK_MS - 1;
    expect(takeLoginLink(t.record, early)).toMatchObject({ agent_id: 'carol' });
    time += 1;
    expect(takeLoginLink(t.record, late)).toBeNull();
  });

  test('is made by an operator key alone, and a file that none signed opens nothing', async () => {
    const agent = await t.session('alice').context();
    expect(await createLoginLink(t.record, agent)).toMatchObject({ ok: false, code: 'authority' });
    const code = await link();
    const folder = deskFolder(t.record);
    const names = () => readdirSync(folder).filter((name) => name.startsWith('login-'));
    const [made = ''] = names().filter((name) => name.includes(createHash('sha256').update(code).digest('hex')));
    const text = readFileSync(join(folder, made), 'utf8');
    // Whoever can write here takes a link for themselves: with another code, another person, a later end.
    const own = 'A'.repeat(43);
    const file = join(folder, `login-${createHash('sha256').update(own).digest('hex')}.json`);
    const facts = JSON.parse(text);
    for (const forged of [facts, { ...facts, agent_id: 'dave' }, { ...facts, expires: facts.expires + 1 }]) {
      writeFileSync(file, JSON.stringify(forged));
      expect(takeLoginLink(t.record, own)).toBeNull();
      expect(existsSync(file)).toBe(false);
    }
    expect(takeLoginLink(t.record, code)).toMatchObject({ agent_id: 'carol' });
  });

  test('ends with the operator key that made it', async () => {
    const dave = await desk.byLink('dave');
    expect((await dave.get('/desk')).status).toBe(200);
    const key = t.record.repository.index
      .reader()
      .keys()
      .find(({ agent_id, role }) => agent_id === 'dave' && role === 'operator');
    value(
      await revokeKey(
        t.record,
        { publicKey: key?.key ?? '', reason: 'retirement' },
        { person: 'carol', confirm: async () => ok(null) },
      ),
    );
    expect((await dave.get('/desk')).status).toBe(403);
  });
});

describe('a token', () => {
  test('signs in whoever it stands for, and revoking it ends the session at once', async () => {
    const { text, token } = await tokenFor(t, { agentId: 'rita', role: 'reviewer', grants: ['acme/**:read,decide'] });
    const browser = desk.browser();
    const csrf = field(await browser.get('/login'), 'csrf');
    expect(await browser.post('/login', { csrf, token: `${text}x` })).toMatchObject({ status: 401 });
    const fresh = field(await browser.get('/login?next=%2Fdesk%2Fbatch'), 'csrf');
    const signedIn = await browser.post('/login', { csrf: fresh, token: text, next: '/desk/batch' });
    expect(signedIn).toMatchObject({ status: 303, location: '/desk/batch' });
    expect((await browser.get('/desk')).text).toContain('<b>rita</b>');
    value(await new Tokens(t.record).revoke(token.id));
    expect(await browser.get('/desk')).toMatchObject({ status: 303 });
    expect(desk.served.logged()).not.toContain(text);
  });

  test('of an agent reads and cannot decide, and learns nothing of what waits', async () => {
    const alice = t.session('alice').operations();
    const { thought_id } = value(await alice.save({ trail_name: 'acme', content: 'Needle in the queue' })).thought;
    value(await alice.propose({ trail_name: 'acme', thought_id }));
    const agent = await desk.byToken({ agentId: 'bob', role: 'agent', grants: ['**:read,write'] });
    const person = await desk.byToken({ agentId: 'rita' });
    expect((await person.get('/desk')).text).toContain('Needle in the queue');
    const seen = [
      await agent.get('/desk'),
      await agent.get(`/desk/${thought_id}`),
      await agent.get('/desk/01ARZ3NDEKTSV4RRFFQ69G5FAV'),
      await agent.get('/desk/batch'),
      await agent.get('/desk/feed.atom'),
    ];
    expect(new Set(seen.map(({ text }) => text)).size).toBe(1);
    expect(seen[0]?.text).not.toMatch(/Needle|waiting for you|\d+ proposals?/);
    const csrf = field(await agent.get('/login'), 'csrf');
    const forged = { ...hiddenOf(await person.get(`/desk/${thought_id}`), `/desk/${thought_id}`), verdict: 'approve' };
    const own = /name="csrf" value="([^"]*)"/.exec((await agent.get('/desk')).text)?.[1] ?? csrf;
    expect(await agent.post(`/desk/${thought_id}`, { ...forged, csrf: own })).toMatchObject({ status: 403 });
    expect(await agent.post('/desk/batch', { ...forged, csrf: own })).toMatchObject({ status: 403 });
    const [row] = t.record.repository.index.reader().thoughtById(thought_id);
    expect(row?.thought.validation_status).toBe('proposed');
  });
});

test('cookies are for this site alone and out of reach of scripts; over HTTPS bound to the host', async () => {
  const plain = desk.browser();
  const login = await plain.get('/login');
  const { text } = await tokenFor(t, { agentId: 'rita', role: 'reviewer', grants: ['**:read,decide'] });
  const { headers } = await plain.post('/login', { csrf: field(login, 'csrf'), token: text });
  const cookie = headers.getSetCookie().find((line) => line.startsWith('waymark_session=')) ?? '';
  expect(cookie).toMatch(/^waymark_session=[A-Za-z0-9_-]{43}; /);
  for (const wanted of ['HttpOnly', 'SameSite=Strict', 'Path=/']) expect(cookie).toContain(wanted);
  expect(cookie).not.toMatch(/Secure|Domain/);
  expect(login.headers.get('referrer-policy')).toBe('same-origin');

  await using secure = openDesk(t, { publicUrl: 'https://waymark.example' });
  const browser = await secure.byToken({ agentId: 'rita' });
  expect([...browser.cookies.keys()]).toEqual(['__Host-waymark_session']);
  expect((await browser.get('/desk')).status).toBe(200);
});

test('a session ends when idle for an hour, after twelve hours, and at sign-out', async () => {
  const idle = await desk.byToken({ agentId: 'rita' });
  time += IDLE_MS - 1;
  expect((await idle.get('/desk')).status).toBe(200);
  time += IDLE_MS;
  expect((await idle.get('/desk')).status).toBe(303);

  const long = await desk.byToken({ agentId: 'rita' });
  const end = time + LONGEST_MS;
  while (time + IDLE_MS / 2 < end) {
    time += IDLE_MS / 2;
    expect((await long.get('/desk')).status).toBe(200);
  }
  time = end;
  expect((await long.get('/desk')).status).toBe(303);

  const leaving = await desk.byToken({ agentId: 'rita' });
  const csrf = field(await leaving.get('/desk'), 'csrf');
  expect(await leaving.post('/logout', { csrf: 'wrong' })).toMatchObject({ status: 403 });
  expect((await leaving.get('/desk')).status).toBe(200);
  const cookie = new Map(leaving.cookies);
  expect(await leaving.post('/logout', { csrf })).toMatchObject({ status: 303, location: '/login' });
  for (const [name, text] of cookie) leaving.cookies.set(name, text);
  expect((await leaving.get('/desk')).status).toBe(303);
});

test('the sign-in form is bound to the browser it was opened in, and attempts are limited', async () => {
  const { text } = await tokenFor(t, { agentId: 'rita', role: 'reviewer', grants: ['**:read,decide'] });
  const browser = desk.browser();
  const csrf = field(await browser.get('/login'), 'csrf');
  expect(await desk.browser().post('/login', { csrf, token: text })).toMatchObject({ status: 403 });
  expect(await browser.post('/login', { csrf: '', token: text })).toMatchObject({ status: 403 });
  expect(await browser.post('/login', { csrf, token: text }, { origin: 'http://evil.example' })).toMatchObject({
    status: 403,
  });
  const again = field(await browser.get('/login'), 'csrf');
  expect(await browser.post('/login', { csrf: again, token: text })).toMatchObject({ status: 303 });
  const statuses: number[] = [];
  for (let at = 0; at < 12; at++) statuses.push((await browser.post('/login', { csrf: '', token: 'wm_x' })).status);
  expect(statuses).toContain(403);
  expect(statuses.at(-1)).toBe(429);
  const refused = await browser.post('/login', { csrf: '', token: 'wm_x' });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
});

test.each(['//evil.example', '/\\evil.example', 'https://evil.example', '/logout', 'javascript:alert(1)'])(
  'after signing in nobody is sent to %j',
  async (next) => {
    const page = await desk.browser().get(`/login?next=${encodeURIComponent(next)}`);
    expect(field(page, 'next')).toBe('/desk');
    const own = await desk.browser().get(`/login?next=${encodeURIComponent('/t/x?a=1')}`);
    expect(field(own, 'next')).toBe('/t/x?a=1');
  },
);

test('a server leaves its address for the command line while it runs', () => {
  expect(announcedAddress(t.record)).toBeNull();
  announceAddress(t.record, 'http://127.0.0.1:8765');
  expect(announcedAddress(t.record)).toBe('http://127.0.0.1:8765');
  withdrawAddress(t.record);
  expect(announcedAddress(t.record)).toBeNull();
});

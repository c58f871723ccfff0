import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createToken } from '../../../src/trail/tokens/create-token.ts';
import { parseExpiry } from '../../../src/trail/tokens/expiry.ts';
import { Tokens } from '../../../src/trail/tokens/tokens.ts';
import { OPERATOR, tokenFor } from '../../support/access.ts';
import { makeRecord, type TestRecord, value } from '../../support/record.ts';

const DAY_MS = 24 * 3_600_000;

function fileOf(t: TestRecord): string {
  return join(t.record.environment.configDir, 'tokens', `${t.record.repository.trust.repositoryId}.json`);
}

test('a token is verified while it stands, and refused unknown, altered, expired and revoked', async () => {
  let now = Date.parse('2026-12-01T00:00:00Z');
  await using t = await makeRecord({ now: () => now });
  const tokens = new Tokens(t.record);
  expect(tokens.wereMade()).toBe(false);
  const { text, token } = await tokenFor(t, {
    agentId: 'bot',
    grants: ['acme/**:write,read'],
    expires: '2d',
    name: 'CI',
  });
  expect(text).toMatch(/^wm_[a-z0-9]{12}_[A-Za-z0-9_-]{43}$/);
  expect(tokens.verify(text)).toEqual({
    ok: true,
    credential: {
      id: token.id,
      agent_id: 'bot',
      role: 'agent',
      grants: [{ scope: 'acme/**', rights: ['read', 'write'] }],
      authenticated_by: 'token',
    },
    opensMcp: true,
    expires: now + 2 * DAY_MS,
  });
  const other = await tokenFor(t, { agentId: 'other', expires: '9d' });
  const crossed = `wm_${token.id}${other.text.slice(15)}`;
  for (const wrong of [
    '',
    'x',
    `${text}x`,
    text.slice(0, -1),
    text.toUpperCase(),
    crossed,
    `wm_${'a'.repeat(12)}${text.slice(15)}`,
  ]) {
    expect(tokens.verify(wrong), wrong).toEqual({ ok: false, reason: 'unknown' });
  }
  expect(tokens.stands(token.id)).toBe(true);
  now += 2 * DAY_MS;
  expect(tokens.verify(text)).toEqual({ ok: false, reason: 'expired', id: token.id });
  expect([tokens.stands(token.id), tokens.stands(other.token.id), tokens.stands('nonexistent1')]).toEqual([
    false,
    true,
    false,
  ]);

  // Another process revokes.
  value(await new Tokens(t.record).revoke(other.token.id));
  expect(tokens.verify(other.text)).toEqual({ ok: false, reason: 'revoked', id: other.token.id });
  expect(tokens.stands(other.token.id)).toBe(false);
  expect(tokens.wereMade()).toBe(true);
});

test('the file is private, holds no text of a token, and is listed without digests', async () => {
  await using t = await makeRecord();
  const { text, token } = await tokenFor(t);
  const stored = readFileSync(fileOf(t), 'utf8');
  expect(stored).toContain(token.id);
  expect(stored).not.toContain(text.slice(16));
  expect(statSync(fileOf(t)).mode & 0o777).toBe(0o600);
  const tokens = new Tokens(t.record);
  tokens.verify(text);
  expect(value(tokens.list())[0]).not.toHaveProperty('last_used');
  tokens.close();
  const [listed] = value(tokens.list());
  expect(listed).toMatchObject({ id: token.id, state: 'in_force', last_used: expect.stringMatching(/^20/) });
  expect(JSON.stringify(listed)).not.toContain('digest');
});

test('creators at the same time lose nothing, and a revocation among them neither', async () => {
  await using t = await makeRecord();
  const first = await tokenFor(t);
  const made = await Promise.all([
    ...Array.from({ length: 12 }, (_, at) => tokenFor(t, { agentId: `bot-${at}` })),
    new Tokens(t.record).revoke(first.token.id),
  ]);
  expect(made).toHaveLength(13);
  const listed = value(new Tokens(t.record).list());
  expect(new Set(listed.map(({ id }) => id)).size).toBe(13);
  expect(listed.find(({ id }) => id === first.token.id)?.state).toBe('revoked');
  expect(await new Tokens(t.record).revoke('nonexistent1')).toMatchObject({ code: 'not_found' });
});

test('a file of tokens that is shared or malformed lets nobody in and is never written over', async () => {
  await using t = await makeRecord();
  const { text } = await tokenFor(t);
  const tokens = new Tokens(t.record);
  const whole = readFileSync(fileOf(t), 'utf8');
  const SPOILT: Readonly<Record<string, () => void>> = {
    shared: () => chmodSync(fileOf(t), 0o644),
    cut: () => writeFileSync(fileOf(t), whole.slice(0, -9)),
    'of another shape': () => writeFileSync(fileOf(t), '{"version":2,"tokens":[]}'),
    'with a role that does not exist': () => writeFileSync(fileOf(t), whole.replace('"agent"', '"owner"')),
    'with a grant that is none': () => writeFileSync(fileOf(t), whole.replace('read,write', 'read,rule')),
  };
  for (const [how, spoil] of Object.entries(SPOILT)) {
    writeFileSync(fileOf(t), whole, { mode: 0o600 });
    chmodSync(fileOf(t), 0o600);
    expect(tokens.verify(text).ok, how).toBe(true);
    spoil();
    const spoiled = readFileSync(fileOf(t), 'utf8');
    expect(tokens.verify(text), how).toEqual({ ok: false, reason: 'unreadable' });
    expect(tokens.wereMade(), how).toBe(true);
    expect(tokens.list(), how).toMatchObject({ code: 'repository' });
    await expect(tokenFor(t), how).rejects.toThrow('repository');
    expect(readFileSync(fileOf(t), 'utf8'), how).toBe(spoiled);
  }
});

const GOOD = { agentId: 'bot', role: 'agent', grants: ['a:read'], expires: '30d', allowMcp: false } as const;

const REFUSED = [
  [{ agentId: '-bot' }, 'agent'],
  [{ agentId: 'a b' }, 'agent'],
  [{ agentId: 'trust-gate' }, 'agent'],
  [{ agentId: 'desk' }, 'agent'],
  [{ agentId: 'Desk' }, 'agent'],
  [{ grants: [] }, 'grant'],
  [{ grants: ['a'] }, 'grant'],
  [{ grants: ['a:read,fly'] }, 'grant'],
  [{ grants: ['a:decide'] }, 'grant'],
  [{ expires: '0d' }, 'expires'],
  [{ expires: '2020-01-01' }, 'expires'],
  [{ expires: 'never' }, 'expires'],
  [{ name: 'x'.repeat(101) }, 'name'],
] as const;

test('a malformed token is refused by its field, one of no operator by authority; nothing is written', async () => {
  await using t = await makeRecord();
  const tools = { tokens: new Tokens(t.record), principal: OPERATOR, now: t.record.now() };
  for (const [over, field] of REFUSED) {
    expect(await createToken(tools, { ...GOOD, ...over })).toMatchObject({ ok: false, code: 'invalid', field });
  }
  for (const role of ['agent', 'reviewer'] as const) {
    const principal = { ...OPERATOR, role };
    expect(await createToken({ ...tools, principal }, GOOD)).toMatchObject({ code: 'authority' });
  }
  expect(value(tools.tokens.list())).toEqual([]);
  value(await createToken(tools, GOOD));
  expect(value(tools.tokens.list())).toHaveLength(1);
});

test.each([
  ['12h', '2026-12-01T12:00:00.000Z'],
  ['8w', '2027-01-26T00:00:00.000Z'],
  ['2027-03-31', '2027-03-31T00:00:00.000Z'],
  ['2027-03-31T10:30:00Z', '2027-03-31T10:30:00.000Z'],
  ['2027-02-30', null],
  ['800d', null],
  ['99999w', null],
  ['2026-12-01', null],
  ['1m', null],
  ['tomorrow', null],
])('parseExpiry() reads %s as %s', (text, iso) => {
  const outcome = parseExpiry(text, Date.parse('2026-12-01T00:00:00Z'));
  expect(outcome.ok ? outcome.value : null).toBe(iso);
});

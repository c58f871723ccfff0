/** Access tokens of a configured issuer, with a real key set over real HTTP. */
import { createHmac } from 'node:crypto';
import type { JWTPayload } from 'jose';
import { expect, test } from 'vitest';
import type { OAuthSettings, ServeSettings } from '../../src/config/index.ts';
import { type FakeIssuer, startIssuer } from '../fakes/issuer.ts';
import { guardedApp, structuredOf, tokenFor, toolCall } from '../support/access.ts';
import { makeRecord } from '../support/record.ts';

const AUDIENCE = 'https://waymark.example/mcp';
const METADATA = 'https://waymark.example/.well-known/oauth-protected-resource/mcp';

function settings({ issuer, jwksUri }: FakeIssuer, over: Partial<OAuthSettings> = {}): Partial<ServeSettings> {
  const oauth = {
    issuer,
    jwks_uri: jwksUri,
    agent_claim: 'sub',
    token_type: 'at+jwt' as const,
    grants: { 'waymark:write': [{ scope: 'acme/**', rights: ['read', 'write'] as const }] },
    ...over,
  };
  return { public_url: 'https://waymark.example', oauth };
}

const SAVE = toolCall('save_thought', { trail_name: 'acme/eng', content: 'By a robot' });
const now = () => Math.floor(Date.now() / 1000);
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

test('an access token is an agent with the grants of its scopes, and nobody else', async () => {
  await using t = await makeRecord();
  await using issuer = await startIssuer(AUDIENCE);
  await using served = guardedApp(t, { settings: settings(issuer) });
  const token = await issuer.sign();
  const response = await served.ask('/mcp', { ...SAVE, token });
  expect(response.status).toBe(200);
  expect(structuredOf(await response.text())).toMatchObject({ status: 'ok', thought: { agent_id: 'robot' } });
  // RFC 8693 has one string; some issuers write a list, or `scp`.
  for (const claims of [{ scope: 'openid waymark:write' }, { scope: undefined, scp: ['waymark:write'] }]) {
    const listed = await served.ask('/mcp', { ...SAVE, token: await issuer.sign(claims) });
    expect(listed.status).toBe(200);
  }
  expect(issuer.fetched).toBe(1);

  const found = await served.ask('/.well-known/oauth-protected-resource/mcp');
  expect(await found.json()).toEqual({
    resource: AUDIENCE,
    resource_name: 'Waymark',
    bearer_methods_supported: ['header'],
    authorization_servers: [issuer.issuer],
    scopes_supported: ['waymark:write'],
  });
  expect((await served.ask('/.well-known/oauth-protected-resource')).status).toBe(200);
});

test('what is not signed by the issuer, for this server, for now is refused', async () => {
  await using t = await makeRecord();
  await using issuer = await startIssuer(AUDIENCE);
  await using served = guardedApp(t, { settings: settings(issuer) });
  const good = await issuer.sign();
  const [header = '', payload = '', signature = ''] = good.split('.');
  const claims: JWTPayload = JSON.parse(Buffer.from(payload, 'base64url').toString());
  const hs256 = `${encode({ alg: 'HS256', typ: 'at+jwt', kid: 'one' })}.${payload}`;
  const refused: Readonly<Record<string, string>> = {
    'alg none': `${encode({ alg: 'none', typ: 'at+jwt' })}.${payload}.`,
    'alg None': `${encode({ alg: 'None', typ: 'at+jwt' })}.${payload}.${signature}`,
    'symmetric, keyed with what is public': `${hs256}.${createHmac('sha256', issuer.jwksUri).update(hs256).digest('base64url')}`,
    unsigned: `${header}.${payload}.`,
    'without a signature part': `${header}.${payload}`,
    'with changed claims': `${header}.${encode({ ...claims, sub: 'admin' })}.${signature}`,
    'of another key': await issuer.forge(),
    'of an unknown key': await issuer.sign({}, { kid: 'two' }),
    'of another issuer': await issuer.sign({ iss: 'https://evil.example' }),
    'without an issuer': await issuer.sign({ iss: undefined }),
    'for another audience': await issuer.sign({ aud: 'https://other.example/mcp' }),
    'without an audience': await issuer.sign({ aud: undefined }),
    expired: await issuer.sign({ exp: now() - 60 }),
    'without an end': await issuer.sign({ exp: undefined }),
    'not valid yet': await issuer.sign({ nbf: now() + 600 }),
    'an ID token': await issuer.sign({}, { typ: 'JWT' }),
    'without a type': await issuer.sign({}, { typ: undefined }),
    'with a critical extension': `${encode({ alg: 'ES256', typ: 'at+jwt', kid: 'one', crit: ['x'], x: 1 })}.${payload}.${signature}`,
    'without an agent': await issuer.sign({ sub: undefined }),
    'of an agent whose name is none': await issuer.sign({ sub: 'auth0|123' }),
    'of a reserved agent': await issuer.sign({ sub: 'Desk' }),
    'no JWT': 'abc.def.ghi',
    long: 'a'.repeat(9_000),
  };
  for (const [name, token] of Object.entries(refused)) {
    const response = await served.ask('/mcp', { ...SAVE, token, from: `10.0.0.${name.length}` });
    expect(response.status, name).toBe(401);
    expect(response.headers.get('www-authenticate'), name).toContain('error="invalid_token"');
    expect(response.headers.get('www-authenticate'), name).toContain(`resource_metadata="${METADATA}"`);
  }
  expect((await served.ask('/mcp', { ...SAVE, token: good })).status).toBe(200);
  // A key that is not there is looked for once, not for every request.
  expect(issuer.fetched).toBe(1);
  for (const [name, token] of Object.entries(refused)) expect(served.logged(), name).not.toContain(token);

  const scopeless = await served.ask('/mcp', { ...SAVE, token: await issuer.sign({ scope: 'openid constructor' }) });
  expect(scopeless.status).toBe(403);
  expect(scopeless.headers.get('www-authenticate')).toContain('error="insufficient_scope"');
});

test('audience, claim and type are as the machine says', async () => {
  await using t = await makeRecord();
  await using issuer = await startIssuer('api://waymark');
  const over = { audience: 'api://waymark', agent_claim: 'azp', token_type: 'JWT' as const };
  await using served = guardedApp(t, { settings: settings(issuer, over) });
  const token = await issuer.sign({ azp: 'client-7' }, { typ: 'JWT' });
  const response = await served.ask('/mcp', { ...SAVE, token });
  expect(structuredOf(await response.text())).toMatchObject({ thought: { agent_id: 'client-7' } });
  expect((await served.ask('/mcp', { ...SAVE, token: await issuer.sign({ azp: 'client-7' }) })).status).toBe(401);
});

test.each(['down', 'junk'] as const)('while the issuer is %s its tokens wait, and ours go on', async (mode) => {
  let time = Date.now();
  await using t = await makeRecord({ now: () => time });
  const own = await tokenFor(t, { grants: ['acme/**:read,write'] });
  await using issuer = await startIssuer(AUDIENCE);
  await using served = guardedApp(t, { settings: settings(issuer) });
  const token = await issuer.sign();
  issuer.mode = mode;
  for (let times = 0; times < 3; times += 1) {
    const response = await served.ask('/mcp', { ...SAVE, token });
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('5');
  }
  expect(issuer.fetched).toBe(1);
  expect((await served.ask('/mcp', { ...SAVE, token: own.text })).status).toBe(200);
  issuer.mode = 'ok';
  time += 6_000;
  expect((await served.ask('/mcp', { ...SAVE, token })).status).toBe(200);
  // Keys that are there go on counting.
  issuer.mode = mode;
  expect((await served.ask('/mcp', { ...SAVE, token })).status).toBe(200);
});

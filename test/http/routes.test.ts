/**
 * Every route with every credential, from one table that the app's own registered routes are held to: a route without a
 * line here fails, so none is open by oversight.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_SERVE_SETTINGS } from '../../src/config/index.ts';
import { TokenBuckets } from '../../src/http/token-bucket.ts';
import { BrowserSessions } from '../../src/http/web/browser-sessions.ts';
import { openSignIn } from '../../src/http/web/sign-in.ts';
import { Tokens } from '../../src/trail/tokens/tokens.ts';
import { startIssuer } from '../fakes/issuer.ts';
import {
  type AskOptions,
  type GuardedApp,
  type GuardedAppOptions,
  guardedApp,
  tokenFor,
  toolCall,
} from '../support/access.ts';
import { makeRecord, type TestRecord, value } from '../support/record.ts';

/** A word that only thoughts hold which a foreign credential may not see. */
const MARKER = 'Zanzibar';
const DAY_MS = 24 * 3_600_000;

interface Line {
  /**
   * `open`: anybody. `mcp`: agents, and people whose token was made for it. `signed`: whoever has a credential. `people`: who
   * decide. `form`: a browser that signed in, which no token is. `login`: whoever has opened the form.
   */
  readonly to: 'open' | 'mcp' | 'signed' | 'people' | 'form' | 'login' | 'whole';
  /** A request that a good credential gets something for. `ID` is the thought with the marker. */
  readonly example: string;
  readonly ask?: AskOptions;
}

/** Method and pattern as registered. `GET` answers `HEAD` too. */
const ROUTES: Readonly<Record<string, Line>> = {
  'ALL /mcp': {
    to: 'mcp',
    example: '/mcp',
    ask: toolCall('recall', { query: 'is the plan', trail_name: 'secret/plans' }),
  },
  'GET /healthz': { to: 'open', example: '/healthz' },
  // To this machine alone, and to operators who read everything: `watch.test.ts`.
  'GET /readyz': { to: 'open', example: '/readyz', ask: { from: '127.0.0.1' } },
  'GET /metrics': { to: 'open', example: '/metrics', ask: { from: '127.0.0.1' } },
  'GET /': { to: 'signed', example: '/' },
  'GET /.well-known/oauth-protected-resource': { to: 'open', example: '/.well-known/oauth-protected-resource' },
  'GET /.well-known/oauth-protected-resource/mcp': { to: 'open', example: '/.well-known/oauth-protected-resource/mcp' },
  'GET /assets/:name': { to: 'open', example: '/assets/site.css' },
  'GET /s/*': { to: 'signed', example: '/s/secret/plans' },
  'GET /search': { to: 'signed', example: '/search?q=plan' },
  'GET /t/:id': { to: 'signed', example: '/t/ID' },
  'GET /t/:id/raw': { to: 'signed', example: '/t/ID/raw' },
  'GET /t/:id/trace': { to: 'signed', example: '/t/ID/trace' },
  'GET /trace/:hash': { to: 'signed', example: `/trace/${'0'.repeat(64)}` },
  'GET /ledger': { to: 'signed', example: '/ledger' },
  'GET /ledger/:log': { to: 'signed', example: `/ledger/${'0'.repeat(16)}` },
  'GET /ledger/checkpoints': { to: 'whole', example: '/ledger/checkpoints' },
  'GET /ledger/verify': { to: 'signed', example: '/ledger/verify' },
  'POST /ledger/verify': { to: 'signed', example: '/ledger/verify', ask: { method: 'POST', body: 'csrf=x' } },
  'GET /login': { to: 'open', example: '/login' },
  'POST /login': { to: 'login', example: '/login', ask: { method: 'POST', body: 'token=x' } },
  'POST /logout': { to: 'signed', example: '/logout', ask: { method: 'POST', body: 'csrf=x' } },
  'GET /desk': { to: 'people', example: '/desk' },
  'GET /desk/feed.atom': { to: 'people', example: '/desk/feed.atom' },
  'GET /desk/batch': { to: 'people', example: '/desk/batch' },
  'POST /desk/batch': { to: 'form', example: '/desk/batch', ask: { method: 'POST', body: 'pick=x' } },
  'GET /desk/:id': { to: 'people', example: '/desk/ID' },
  'POST /desk/:id': { to: 'form', example: '/desk/ID', ask: { method: 'POST', body: 'verdict=approve' } },
  // No route at all is no oracle either.
  'GET /nowhere': { to: 'signed', example: '/nowhere' },
  'POST /nowhere': { to: 'signed', example: '/nowhere', ask: { method: 'POST', body: 'a=b' } },
};
const NO_ROUTE = /\/nowhere$/;

/** What each credential gets of each kind of route; `ok` is neither 401, 403 nor 429. */
const EXPECTED: Readonly<Record<string, Readonly<Record<Line['to'], 'ok' | 401 | 403>>>> = {
  none: { open: 'ok', mcp: 401, signed: 401, people: 401, form: 401, login: 403, whole: 401 },
  wrong: { open: 'ok', mcp: 401, signed: 401, people: 401, form: 401, login: 403, whole: 401 },
  malformed: { open: 'ok', mcp: 401, signed: 401, people: 401, form: 401, login: 403, whole: 401 },
  expired: { open: 'ok', mcp: 401, signed: 401, people: 401, form: 401, login: 403, whole: 401 },
  revoked: { open: 'ok', mcp: 401, signed: 401, people: 401, form: 401, login: 403, whole: 401 },
  'of another record': { open: 'ok', mcp: 401, signed: 401, people: 401, form: 401, login: 403, whole: 401 },
  'access token, expired': { open: 'ok', mcp: 401, signed: 401, people: 401, form: 401, login: 403, whole: 401 },
  'access token, other audience': { open: 'ok', mcp: 401, signed: 401, people: 401, form: 401, login: 403, whole: 401 },
  'access token, other key': { open: 'ok', mcp: 401, signed: 401, people: 401, form: 401, login: 403, whole: 401 },
  'access token, no scope': { open: 'ok', mcp: 403, signed: 403, people: 403, form: 403, login: 403, whole: 403 },
  'foreign scope': { open: 'ok', mcp: 'ok', signed: 'ok', people: 403, form: 403, login: 403, whole: 403 },
  'access token, foreign scope': {
    open: 'ok',
    mcp: 'ok',
    signed: 'ok',
    people: 403,
    form: 403,
    login: 403,
    whole: 403,
  },
  'reviewer without --allow-mcp': {
    open: 'ok',
    mcp: 403,
    signed: 'ok',
    people: 'ok',
    form: 403,
    login: 403,
    whole: 403,
  },
  'operator without --allow-mcp': {
    open: 'ok',
    mcp: 403,
    signed: 'ok',
    people: 'ok',
    form: 403,
    login: 403,
    whole: 403,
  },
  right: { open: 'ok', mcp: 'ok', signed: 'ok', people: 403, form: 403, login: 403, whole: 403 },
};

let t: TestRecord;
let served: GuardedApp;
let issuer: Awaited<ReturnType<typeof startIssuer>>;
let id: string;
const credentials = new Map<string, string | undefined>();

beforeAll(async () => {
  t = await makeRecord();
  const carol = t.session('carol', { operator: true }).operations();
  const { thought } = value(await carol.save({ trail_name: 'secret/plans', content: `${MARKER} is the plan` }));
  value(await carol.propose({ trail_name: 'secret/plans', thought_id: thought.thought_id, approval: 'human' }));
  id = thought.thought_id;
  issuer = await startIssuer('https://waymark.example/mcp');
  const oauth = {
    issuer: issuer.issuer,
    jwks_uri: issuer.jwksUri,
    agent_claim: 'sub',
    token_type: 'at+jwt' as const,
    grants: { 'waymark:write': [{ scope: 'other/**', rights: ['read', 'write'] as const }] },
  };
  const limits = { ...DEFAULT_SERVE_SETTINGS.limits, failures_per_minute: 100_000 };
  const browsers = new BrowserSessions(t.record.now);
  const signIn: GuardedAppOptions['signIn'] = ({ tokens }, settings) => {
    const opened = openSignIn({ record: t.record, settings, browsers, tokens });
    // Every line of the table comes from one address.
    return { ...opened, attempts: new TokenBuckets({ perMinute: 100_000, now: t.record.now }) };
  };
  served = guardedApp(t, { browsers, signIn, settings: { public_url: 'https://waymark.example', oauth, limits } });
  await using elsewhere = await makeRecord();
  const revoked = await tokenFor(t);
  value(await new Tokens(t.record).revoke(revoked.token.id));
  const desk = { agentId: 'ana', grants: ['secret/**:read,decide'] };
  const past = Math.floor(Date.now() / 1000) - 600;
  for (const [name, text] of Object.entries({
    wrong: `wm_${revoked.token.id}_${'x'.repeat(43)}`,
    malformed: 'not a token',
    expired: (await tokenFor(t, { now: Date.now() - 2 * DAY_MS, expires: '1d' })).text,
    revoked: revoked.text,
    'of another record': (await tokenFor(elsewhere)).text,
    'access token, expired': await issuer.sign({ exp: past }),
    'access token, other audience': await issuer.sign({ aud: 'https://other.example/mcp' }),
    'access token, other key': await issuer.forge(),
    'access token, no scope': await issuer.sign({ scope: 'email' }),
    'foreign scope': (await tokenFor(t, { agentId: 'bob', grants: ['other/**:read,write'] })).text,
    'access token, foreign scope': await issuer.sign(),
    'reviewer without --allow-mcp': (await tokenFor(t, { ...desk, role: 'reviewer' })).text,
    'operator without --allow-mcp': (await tokenFor(t, { ...desk, role: 'operator' })).text,
    right: (await tokenFor(t, { grants: ['secret/**:read,write'] })).text,
  })) {
    credentials.set(name, text);
  }
  credentials.set('none', undefined);
});

afterAll(async () => {
  await served[Symbol.asyncDispose]();
  await issuer[Symbol.asyncDispose]();
  await t[Symbol.asyncDispose]();
});

function ask(line: Line, credential: string): Promise<Response> {
  const token = credentials.get(credential);
  return served.ask(line.example.replace('ID', id), { ...line.ask, ...(token === undefined ? {} : { token }) });
}

test('every registered route is in the table, and nothing else is', () => {
  // Middleware stands on every path.
  const registered = served.app.routes
    .filter(({ path }) => path !== '/*')
    .map(({ method, path }) => `${method} ${path}`);
  const listed = Object.keys(ROUTES).filter((name) => !NO_ROUTE.test(name));
  expect([...new Set(registered)].sort()).toEqual(listed.sort());
});

describe.each(Object.entries(ROUTES))('%s', (_, line) => {
  test.each(Object.keys(EXPECTED))('with credential: %s', async (credential) => {
    const response = await ask(line, credential);
    const body = await response.text();
    const expected = EXPECTED[credential]?.[line.to];
    if (expected === 'ok') expect([401, 403, 429], `${response.status} ${body}`).not.toContain(response.status);
    else expect(response.status, body).toBe(expected);
    if (expected === 401) {
      expect(response.headers.get('www-authenticate')).toContain('resource_metadata="https://waymark.example/');
    }
    if (credential !== 'right' && !/^(reviewer|operator)/.test(credential)) {
      expect(`${body}${JSON.stringify([...response.headers])}`).not.toContain(MARKER);
      expect(body).not.toContain('secret/plans');
    }
  });
});

test('the right credential sees the marker, so its absence elsewhere means something', async () => {
  const line = ROUTES['ALL /mcp'];
  if (line === undefined) throw new Error('The table has no MCP');
  expect(await (await ask(line, 'right')).text()).toContain(`${MARKER} is the plan`);
});

test('a refusal says the same of a route that exists and of one that does not', async () => {
  for (const credential of ['none', 'wrong', 'expired', 'revoked', 'access token, no scope']) {
    const token = credentials.get(credential);
    const options = token === undefined ? {} : { token };
    const [there, absent] = await Promise.all(['/', '/nowhere'].map((path) => served.ask(path, options)));
    expect(await there?.text(), credential).toBe(await absent?.text());
    const namesOf = (response: Response | undefined) =>
      [...(response?.headers ?? [])].map(([name, text]) => (name === 'x-request-id' ? name : `${name}: ${text}`));
    expect(namesOf(there)).toEqual(namesOf(absent));
    expect(namesOf(there)).toContain('x-request-id');
  }
});

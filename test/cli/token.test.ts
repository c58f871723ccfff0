import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeRecord, type TestRecord } from '../support/record.ts';
import { json, startWaymark, waymark } from './support.ts';

function as(t: TestRecord, agentId: string) {
  return { cwd: t.root, env: { ...t.env, WAYMARK_AGENT_ID: agentId } };
}

const CREATE = ['token', 'create', '--agent', 'bot', '--role', 'reviewer', '--grant', 'acme/**:read,decide'];

test('a token is made by an operator, shown once, listed without its text, and revoked by its id', async () => {
  await using t = await makeRecord();
  const made = await waymark([...CREATE, '--expires', '2w', '--allow-mcp', '--name', 'CI of acme'], as(t, 'carol'));
  expect(made).toMatchObject({ code: 0 });
  const text = made.stdout.trim();
  expect(text).toMatch(/^wm_[a-z0-9]{12}_[A-Za-z0-9_-]{43}$/);
  expect(made.stderr).toContain('shown this once');
  expect(made.stderr).not.toContain(text);
  const id = text.slice(3, 15);
  const listed = await waymark(['token', 'list'], as(t, 'carol'));
  expect(listed.stdout).toMatch(new RegExp(`^${id}  bot  reviewer  CI of acme  acme/\\*\\*:read,decide  until 20`));
  expect(listed.stdout).toContain('opens MCP');
  expect(listed.stdout).not.toContain(text.slice(16));
  // The second operator is none: the record has one already.
  const refused = await waymark([...CREATE, '--json'], as(t, 'mallory'));
  expect(refused.code).toBe(1);
  expect(json(refused)).toMatchObject({ code: 'authority', next: expect.stringContaining('operator key') });
  const revoked = await waymark(['token', 'revoke', id, '--json'], as(t, 'mallory'));
  expect(json(revoked)).toMatchObject({ status: 'ok', token: { id, revoked: expect.any(String) } });
  expect(revoked.stdout).not.toContain('digest');
  expect((await waymark(['token', 'revoke', 'nonexistent1'], as(t, 'carol'))).code).toBe(1);
});

test('serve --host for others is refused until there are tokens and a name by --allow-host or public_url', async () => {
  await using t = await makeRecord();
  const serve = ['serve', '--host', '0.0.0.0', '--port', '0'];
  const bare = await waymark([...serve, '--json'], as(t, 'carol'));
  expect(json(bare)).toMatchObject({ code: 'invalid', next: expect.stringContaining('waymark token create') });
  const { stdout } = await waymark(
    [...CREATE.slice(0, 4), '--role', 'agent', '--grant', 'a:read,write'],
    as(t, 'carol'),
  );
  const nameless = await waymark([...serve, '--json'], as(t, 'carol'));
  expect(json(nameless)).toMatchObject({ code: 'invalid', next: expect.stringContaining('--allow-host') });

  const running = startWaymark([...serve, '--allow-host', 'localhost', '--json'], as(t, 'carol'));
  await running.seen('is ready');
  await running.seen('"endpoint"');
  running.child.kill('SIGTERM');
  const ended = await running.ended;
  const { endpoint, identity } = json(ended);
  expect(endpoint).toMatch(/^http:\/\/localhost:\d+\/mcp$/);
  expect(identity).toBeNull();
  expect(ended.stderr).toContain('nobody without one');
  expect(ended.stderr).not.toContain(stdout.trim());
});

test('serve refuses settings that let in more than they seem to', async () => {
  await using t = await makeRecord();
  const folder = join(t.env['XDG_CONFIG_HOME'] ?? '', 'waymark');
  mkdirSync(folder, { recursive: true });
  const oauth =
    'oauth: {issuer: "https://login.example", jwks_uri: "https://login.example/jwks", grants: {a: ["x:read"]}}';
  for (const [settings, field] of [
    [oauth, 'serve.public_url'],
    ['public_url: "http://waymark.example"', 'serve.public_url'],
    ['public_url: "https://waymark.example/sub"', 'serve.public_url'],
    ['trusted_proxies: ["all"]', 'serve.trusted_proxies[0]'],
    [oauth.replace('x:read', 'x:decide'), 'serve.oauth.grants.a[0]'],
    [oauth.replace('https://login.example/jwks', 'http://login.example/jwks'), 'serve.oauth.jwks_uri'],
  ] as const) {
    writeFileSync(join(folder, 'config.yaml'), `serve: {${settings}}\n`);
    const refused = await waymark(['serve', '--port', '0', '--json'], as(t, 'carol'));
    expect(refused.code, settings).toBe(3);
    expect(json(refused), settings).toMatchObject({ code: 'repository', field });
  }
});

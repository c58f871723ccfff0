import { cpSync, existsSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, test } from 'vitest';
import { call, createClient, ERAS } from '../support/mcp-clients.ts';
import { makeRecord, type TestRecord, value } from '../support/record.ts';
import { MAIN, startWaymark, waymark } from './support.ts';

function stdio(t: TestRecord, more: Record<string, string> = {}) {
  const env = { ...t.env, PATH: process.env['PATH'] ?? '', ...more };
  return new StdioClientTransport({ command: process.execPath, args: [MAIN, 'mcp'], env, cwd: t.root, stderr: 'pipe' });
}

async function serving(t: TestRecord, more: Record<string, string> = {}) {
  const running = startWaymark(['serve', '--port', '0', '--json'], { cwd: t.root, env: { ...t.env, ...more } });
  let line = '';
  running.child.stdout?.on('data', (text: string) => {
    line += text;
  });
  await running.seen('is ready');
  const { endpoint }: { endpoint: string } = JSON.parse(line.split('\n')[0] ?? '');
  return { ...running, endpoint };
}

test.each(ERAS)('mcp and serve work on one record at once, in era %s', async (era) => {
  await using t = await makeRecord();
  const service = await serving(t, { WAYMARK_AGENT_ID: 'web' });
  const overHttp = createClient(era);
  await overHttp.connect(new StreamableHTTPClientTransport(new URL(service.endpoint)));
  const overStdio = createClient(era);
  await overStdio.connect(stdio(t, { WAYMARK_AGENT_ID: 'cli' }));
  const saved = await Promise.all([
    call(overHttp, 'save_thought', { trail_name: 'a', content: 'From HTTP' }),
    call(overStdio, 'save_thought', { trail_name: 'a', content: 'From stdio' }),
  ]);
  expect(saved.map((one) => one.structuredContent)).toMatchObject([
    { thought: { agent_id: 'web' } },
    { thought: { agent_id: 'cli' } },
  ]);
  expect((await call(overHttp, 'recall', { trail_name: 'a' })).structuredContent).toMatchObject({ count: 0 });
  const own = await call(overStdio, 'recall', { trail_name: 'a', mode: 'authoring' });
  expect(own.structuredContent).toMatchObject({ count: 1, thoughts: [{ content_preview: 'From stdio' }] });
  await Promise.all([overHttp.close(), overStdio.close()]);
  service.child.kill('SIGTERM');
  expect((await service.ended).code).toBe(0);
  expect((await waymark(['verify'], { cwd: t.root, env: t.env })).code).toBe(0);
});

test('mcp lists its tools without touching the record; the first call opens it', async () => {
  await using t = await makeRecord();
  const copy = join(t.env['HOME'] ?? '', 'copy');
  cpSync(t.root, copy, { recursive: true });
  const state = join(copy, '.waymark');
  rmSync(state, { recursive: true });
  const client = createClient('auto');
  await client.connect(stdio({ ...t, root: copy }));
  expect((await client.listTools()).tools.length).toBeGreaterThan(7);
  expect(existsSync(state)).toBe(false);
  expect((await call(client, 'list_scopes', {})).structuredContent).toMatchObject({ status: 'ok' });
  expect(existsSync(state)).toBe(true);
  await client.close();
});

test('a call answers what keeps the record from opening, and works once that is mended', async () => {
  await using t = await makeRecord();
  const git = join(t.root, '.git');
  const client = createClient('auto');
  await client.connect(stdio(t));
  cpSync(git, `${git}.away`, { recursive: true });
  rmSync(git, { recursive: true });
  const refused = await call(client, 'list_scopes', {});
  expect(refused.structuredContent).toMatchObject({ status: 'error', code: 'repository' });
  cpSync(`${git}.away`, git, { recursive: true });
  expect((await call(client, 'list_scopes', {})).structuredContent).toMatchObject({ status: 'ok' });
  await client.close();
});

test('an operator mcp decides; one that may not says why on stderr and stays an agent', async () => {
  await using t = await makeRecord();
  const alice = t.session('alice').operations();
  const { thought_id } = value(await alice.save({ trail_name: 'a', content: 'x' })).thought;
  const approve = { trail_name: 'a', thought_id, approval: 'human' };
  value(await t.session('carol', { operator: true }).operations().listScopes({}));

  const transport = stdio(t, { WAYMARK_OPERATOR: '1', WAYMARK_AGENT_ID: 'mallory' });
  let stderr = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const mallory = createClient('auto');
  await mallory.connect(transport);
  const refused = await call(mallory, 'propose_truth', approve);
  expect(refused.structuredContent).toMatchObject({ status: 'error', code: 'authority' });
  await mallory.close();
  expect(stderr).toContain('Not an operator: the key of "mallory" is not enrolled');

  const carol = createClient('auto');
  await carol.connect(stdio(t, { WAYMARK_OPERATOR: '1' }));
  const approved = await call(carol, 'propose_truth', approve);
  expect(approved.structuredContent).toMatchObject({ thought: { validation_status: 'approved' } });
  await carol.close();
});

test('serve says how to connect and to decide, and is never an operator', async () => {
  await using t = await makeRecord();
  value(await t.session('carol', { operator: true }).operations().listScopes({}));
  const service = await serving(t, { WAYMARK_OPERATOR: '1', WAYMARK_AGENT_ID: 'carol' });
  const { endpoint } = service;
  const client = createClient('auto');
  await client.connect(new StreamableHTTPClientTransport(new URL(endpoint)));
  const history = await call(client, 'recall', { trail_name: 'a', mode: 'history' });
  expect(history.structuredContent).toMatchObject({ status: 'error', code: 'authority' });
  await client.close();
  const page = await fetch(new URL('/', endpoint));
  expect(page.status).toBe(200);
  const text = await page.text();
  expect(text).toContain('Nothing you may see is in this record yet');
  expect(text).toContain(`claude mcp add --transport http waymark ${endpoint}`);
  // What waits or was rejected is withheld from agents, and so is how much of it there is.
  expect(text).not.toMatch(/waiting|rejected|retired|\d+ events/i);
  expect(await (await fetch(new URL('/healthz', endpoint))).json()).toEqual({ status: 'ok' });
  service.child.kill('SIGINT');
  const { code, stderr } = await service.ended;
  expect(code).toBe(0);
  expect(stderr).toContain('WAYMARK_OPERATOR=1 is ignored');
  expect(stderr).toContain(`claude mcp add --transport http waymark ${endpoint}`);
  expect(stderr).toContain(`codex mcp add waymark --url ${endpoint}`);
  expect(stderr).toContain(`{"mcpServers":{"waymark":{"url":"${endpoint}"}}}`);
  expect(stderr).toContain('carol, an agent: everyone who connects here is this one identity');
  expect(stderr).toMatch(/Decide .* cd \S+ && (XDG_\w+=\S+ )*node \S+main\.js review/);
});

test('serve refuses other hosts as usage and a port in use as environment', async () => {
  await using t = await makeRecord();
  const at = { cwd: t.root, env: t.env };
  expect(await waymark(['serve', '--host', '0.0.0.0'], at)).toMatchObject({ code: 2 });
  expect(await waymark(['serve', '--port', '65536'], at)).toMatchObject({ code: 2 });
  const blocker = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => blocker.once('listening', resolve));
  const address = blocker.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const taken = await waymark(['serve', '--port', String(port)], at);
  blocker.close();
  expect(taken.code).toBe(3);
  expect(taken.stderr).toContain('--port');
});

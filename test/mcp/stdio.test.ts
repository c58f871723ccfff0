import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { JSONRPC_VERSION, parseJSONRPCMessage } from '@modelcontextprotocol/server';
import { expect, test } from 'vitest';
import { TOOLS } from '../../src/mcp/tool-table.ts';
import { listed } from '../../src/mcp/wire-tool.ts';
import { call, createClient, ERAS } from '../support/mcp-clients.ts';

/** Built by `npm run build:tools`. */
const CHILD = fileURLToPath(new URL('../../.tools/test/children/stdio-server.js', import.meta.url));

interface Session {
  readonly child: ChildProcess;
  readonly ended: Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>;
  /** Resolves once stdout or stderr holds `text`. */
  seen(text: string): Promise<void>;
}

function start(env: Readonly<Record<string, string>> = {}): Session {
  if (!existsSync(CHILD)) throw new Error('Test child is not built: run "npm run build:tools"');
  const child = spawn(process.execPath, [CHILD], { env: { ...process.env, ...env }, stdio: 'pipe' });
  const said = { stdout: '', stderr: '' };
  const watchers = new Set<() => void>();
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      said[name] += chunk;
      for (const watcher of watchers) watcher();
    });
  }
  return {
    child,
    ended: new Promise((resolve) => child.on('close', (code) => resolve({ code, ...said }))),
    seen: (text) =>
      new Promise((resolve) => {
        const look = () => {
          if (!said.stdout.includes(text) && !said.stderr.includes(text)) return;
          watchers.delete(look);
          resolve();
        };
        watchers.add(look);
        look();
      }),
  };
}

function request(id: number, method: string, params: object = {}): string {
  return `${JSON.stringify({ jsonrpc: JSONRPC_VERSION, id, method, params })}\n`;
}

const INITIALIZE = request(1, 'initialize', {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'test', version: '0' },
});
const SAVE = request(2, 'tools/call', { name: 'save_thought', arguments: { trail_name: 'a', content: 'kept' } });
const RECALL = request(3, 'tools/call', { name: 'recall', arguments: { trail_name: 'a' } });

test.each(ERAS)('a real process serves the client in era %s', async (era) => {
  const client = createClient(era);
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [CHILD], stderr: 'ignore' }));
  expect((await client.listTools()).tools).toHaveLength(listed(TOOLS, 'standard').length);
  const saved = await call(client, 'save_thought', { trail_name: 'a', content: 'x' });
  expect(saved.structuredContent).toMatchObject({ status: 'ok', thought: { content_preview: 'x' } });
  const uri = `waymark://thought/${'1'.padStart(26, '0')}`;
  expect(JSON.stringify(await client.readResource({ uri }))).toContain('stored-data');
  expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(['start-session']);
  await client.close();
});

test('the client accepts every result of the full surface against the advertised schema', async () => {
  const client = createClient('auto');
  const env = { ...process.env, CHILD_SURFACE: 'full' } as const;
  const defined = Object.fromEntries(Object.entries(env).flatMap(([k, v]) => (v === undefined ? [] : [[k, v]])));
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [CHILD], env: defined, stderr: 'ignore' }),
  );
  expect((await client.listTools()).tools[0]?.outputSchema).toBeDefined();
  expect((await call(client, 'recall', { trail_name: 'a' })).structuredContent).toMatchObject({ count: 0 });
  await client.close();
});

test('only JSON-RPC reaches stdout, whatever else writes to it', async () => {
  const session = start({ CHILD_NOISE: '1', NODE_OPTIONS: '--trace-warnings --pending-deprecation' });
  session.child.stdin?.write(INITIALIZE + request(4, 'tools/list') + SAVE);
  session.child.stdin?.end('not json\n');
  const { code, stdout, stderr } = await session.ended;
  const lines = stdout.trimEnd().split('\n');
  expect(
    lines.map((line) => parseJSONRPCMessage(JSON.parse(line))).map((message) => 'id' in message && message.id),
  ).toEqual(expect.arrayContaining([1, 2, 4]));
  expect(lines).toHaveLength(3);
  expect(stderr).toContain('noise without a line end');
  expect(stderr).toContain('DeprecationWarning');
  expect(code).toBe(0);
});

test('the end of stdin ends an idle process within 2 s', async () => {
  const session = start();
  session.child.stdin?.write(INITIALIZE);
  await session.seen('protocolVersion');
  const from = performance.now();
  session.child.stdin?.end();
  const { code, stderr } = await session.ended;
  expect(performance.now() - from).toBeLessThan(2_000);
  expect(stderr).toContain('session end: eof');
  expect(code).toBe(0);
});

test('calls already read are answered after the end of stdin, slow ones too, then the process ends at once', async () => {
  const session = start({ CHILD_SAVE_MS: '1500' });
  session.child.stdin?.end(INITIALIZE + SAVE + RECALL);
  await session.seen('save done: kept');
  const from = performance.now();
  const { code, stdout } = await session.ended;
  expect(performance.now() - from).toBeLessThan(1_000);
  const ids = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).id);
  expect(ids.sort()).toEqual([1, 2, 3]);
  expect(stdout).toContain('kept');
  expect(code).toBe(0);
});

test.each(['grace', 'signal'])('a call that never answers ends with the %s after the end of stdin', async (by) => {
  const session = start({ CHILD_HANG: '1', ...(by === 'grace' ? { CHILD_GRACE_MS: '300' } : {}) });
  session.child.stdin?.end(INITIALIZE + RECALL);
  await session.seen('protocolVersion');
  const from = performance.now();
  if (by === 'signal') session.child.kill('SIGTERM');
  const { code, stdout, stderr } = await session.ended;
  expect(performance.now() - from).toBeLessThan(3_000);
  expect(stdout).not.toContain('"id":3');
  expect(stderr).toContain(`session end: ${by === 'grace' ? 'eof' : 'SIGTERM'}`);
  expect(code).toBe(0);
});

test.each(['SIGTERM', 'SIGINT'] as const)('%s finishes the running write, then ends the process', async (signal) => {
  const session = start({ CHILD_SAVE_MS: '300' });
  session.child.stdin?.write(INITIALIZE + SAVE + request(5, 'ping'));
  await session.seen('"id":5');
  session.child.kill(signal);
  const { code, stdout, stderr } = await session.ended;
  expect(stdout).toContain('"id":2');
  expect(stderr).toContain('save done: kept');
  expect(stderr).toContain(`session end: ${signal}`);
  expect(code).toBe(0);
});

test('a reader of stdout that goes away ends the process', async () => {
  const session = start();
  session.child.stdin?.write(INITIALIZE);
  await session.seen('protocolVersion');
  session.child.stdout?.destroy();
  session.child.stdin?.on('error', () => undefined);
  // The pipe closes a moment later: an answer written before that still goes through.
  const asking = setInterval(() => session.child.stdin?.write(request(6, 'tools/list')), 50);
  const { code } = await session.ended;
  clearInterval(asking);
  expect(code).toBe(0);
});

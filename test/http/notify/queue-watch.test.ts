/** Telling people that something waits: what leaves, when, and what a failure costs. */
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseMachineConfig } from '../../../src/config/index.ts';
import { LEAST_INTERVAL_MS, type Notice, QueueWatch, type Tell } from '../../../src/http/notify/queue-watch.ts';
import { tellBy } from '../../../src/http/notify/tell.ts';
import { createLog } from '../../../src/mcp/log.ts';
import { makeRecord, type TestRecord, value } from '../../support/record.ts';

let time = Date.UTC(2026, 0, 5);
let t: TestRecord;
let folder: string;

beforeAll(async () => {
  t = await makeRecord({ now: () => time });
  folder = mkdtempSync(join(tmpdir(), 'waymark-notify-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await t[Symbol.asyncDispose]();
});

const URL_OF_DESK = 'http://127.0.0.1:8765/desk';

function watchOf(tell: Tell) {
  const lines: string[] = [];
  const sink = new PassThrough();
  sink.on('data', (chunk: Buffer) => lines.push(chunk.toString()));
  const watch = new QueueWatch({ record: t.record, tell, url: URL_OF_DESK, log: createLog(sink) });
  return { watch, logged: () => lines.join('') };
}

async function put(content: string): Promise<string> {
  const alice = t.session('alice').operations();
  const { thought_id } = value(await alice.save({ trail_name: 'acme', content })).thought;
  value(await alice.propose({ trail_name: 'acme', thought_id }));
  return thought_id;
}

test('what is new is told by id, at most once in thirty seconds, and what waited before is no news', async () => {
  const notices: Notice[] = [];
  const { watch } = watchOf(async (notice) => {
    notices.push(notice);
    return null;
  });
  await put('Needle from before');
  await watch.look();
  expect(notices).toEqual([]);
  const one = await put('Needle one');
  time += LEAST_INTERVAL_MS - 1;
  await watch.look();
  expect(notices).toEqual([]);
  const two = await put('Needle two');
  time += 1;
  await watch.look();
  await watch.look();
  expect(notices).toMatchObject([{ event: 'proposals_waiting', waiting: 3, url: URL_OF_DESK }]);
  expect(notices[0]?.new.map(({ thought_id, scope }) => [thought_id, scope])).toEqual([
    [one, 'acme'],
    [two, 'acme'],
  ]);
  expect(JSON.stringify(notices)).not.toContain('Needle');
  time += LEAST_INTERVAL_MS;
  const carol = t.session('carol', { operator: true }).operations();
  value(await carol.decide({ trail_name: 'acme', thought_id: one, verdict: 'approve' }));
  await watch.look();
  expect(notices).toHaveLength(1);
  expect(watch.counts()).toEqual({ told: 1, failed: 0 });
});

test('a failure is logged and counted, and told with the next', async () => {
  let fault: string | null = 'webhook_unreachable';
  const notices: Notice[] = [];
  const { watch, logged } = watchOf(async (notice) => {
    notices.push(notice);
    return fault;
  });
  await watch.look();
  const id = await put('Needle that nobody hears of');
  time += LEAST_INTERVAL_MS;
  await watch.look();
  expect(watch.counts()).toEqual({ told: 0, failed: 1 });
  expect(logged()).toContain('"notify":"webhook_unreachable"');
  expect(logged()).not.toContain('Needle');
  fault = null;
  time += LEAST_INTERVAL_MS;
  await watch.look();
  expect(notices.map((notice) => notice.new.map(({ thought_id }) => thought_id))).toEqual([[id], [id]]);
  expect(watch.counts()).toEqual({ told: 1, failed: 1 });
});

const NOTICE: Notice = {
  event: 'proposals_waiting',
  at: '2026-01-05T00:00:00.000Z',
  waiting: 1,
  new: [{ thought_id: '01ARZ3NDEKTSV4RRFFQ69G5FAV', scope: 'a; touch injected', since: '2026-01-05T00:00:00.000Z' }],
  url: URL_OF_DESK,
};

test('a command gets the notice on its input, no shell, and none of the environment but what it needs to run', async () => {
  const script = join(folder, 'tell.sh');
  writeFileSync(
    script,
    `#!/bin/sh\ncat > "${folder}/input"\nenv > "${folder}/env"\nprintf '%s' "$1" > "${folder}/arg"\n`,
  );
  chmodSync(script, 0o700);
  const env = {
    PATH: process.env['PATH'],
    WAYMARK_SECRET: 'do-not-pass',
    OPENROUTER_API_KEY: 'do-not-pass',
    TZ: 'UTC',
  };
  const tell = tellBy({ command: [script, '$(touch injected)'] }, { env });
  expect(await tell(NOTICE)).toBeNull();
  expect(JSON.parse(readFileSync(join(folder, 'input'), 'utf8'))).toEqual(NOTICE);
  expect(readFileSync(join(folder, 'arg'), 'utf8')).toBe('$(touch injected)');
  const passed = readFileSync(join(folder, 'env'), 'utf8');
  expect(passed).toContain('TZ=UTC');
  expect(passed).not.toContain('do-not-pass');
  expect(existsSync('injected')).toBe(false);
});

test('a command that fails, hangs or is not there says so', async () => {
  const by = (...command: string[]) =>
    tellBy({ command }, { env: { PATH: process.env['PATH'] }, timeoutMs: 100 })(NOTICE);
  expect(await by('false')).toBe('command_exit_1');
  expect(await by('sleep', '60')).toBe('command_timed_out');
  expect(await by(join(folder, 'absent'))).toBe('command_not_started');
  expect(await by('true')).toBeNull();
});

test('a webhook gets the notice, and an answer that is no success says so', async () => {
  const bodies: string[] = [];
  const server: Server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      bodies.push(body);
      response.writeHead(request.url === '/ok' ? 204 : 500).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const to = (path: string) => tellBy({ webhook: `http://127.0.0.1:${port}${path}` }, { env: {} })(NOTICE);
  expect(await to('/ok')).toBeNull();
  expect(await to('/no')).toBe('webhook_status_500');
  expect(bodies.map((body) => JSON.parse(body))).toEqual([NOTICE, NOTICE]);
  await new Promise((resolve) => server.close(resolve));
  expect(await to('/ok')).toBe('webhook_unreachable');
});

test.each([
  ['{command: [notify-send, "Waymark"]}', true],
  ['{webhook: "https://hooks.example/x"}', true],
  ['{command: []}', false],
  ['{command: "notify-send"}', false],
  ['{webhook: "http://hooks.example/x"}', false],
  ['{command: [x], webhook: "https://hooks.example/x"}', false],
  ['{mail: x}', false],
])('serve.notify %s is a setting: %s', (text, isOne) => {
  const parsed = parseMachineConfig(Buffer.from(`serve: {notify: ${text}}\n`), 'config.yaml');
  expect(parsed.ok).toBe(isOne);
});

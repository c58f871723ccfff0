/** `/readyz` and `/metrics`: who may ask, what they say, and that asking often or late costs nothing. */

import { PassThrough } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { atMostEvery } from '../../src/http/at-most-every.ts';
import { createMetrics } from '../../src/http/metrics.ts';
import { readyService } from '../../src/http/ready.ts';
import { createLog } from '../../src/mcp/log.ts';
import { guardedApp, tokenFor, toolCall } from '../support/access.ts';
import { createApp, createDoor, PORT } from '../support/mcp-clients.ts';
import { makeRecord, value } from '../support/record.ts';

const LOCAL = { from: '127.0.0.1' };
const REMOTE = { from: '203.0.113.9' };

test('/readyz and /metrics are for a direct request of this machine and for operators who read everything; 404 to others', async () => {
  await using t = await makeRecord();
  await using guarded = guardedApp(t);
  const tokenOf = async (role: 'agent' | 'reviewer' | 'operator', grant: string) =>
    (await tokenFor(t, { agentId: `${role}-x`, role, grants: [grant] })).text;
  const operator = await tokenOf('operator', '**:read');
  for (const path of ['/readyz', '/metrics']) {
    const statusOf = async (ask: Parameters<typeof guarded.ask>[1]) => (await guarded.ask(path, ask)).status;
    expect(await statusOf(LOCAL), path).toBe(200);
    expect(await statusOf({ from: '::1' })).toBe(200);
    expect(await statusOf({ from: '::ffff:127.0.0.1' })).toBe(200);
    expect(await statusOf({ ...REMOTE, token: operator })).toBe(200);
    expect(await statusOf({ token: operator })).toBe(200);
    for (const refused of [
      REMOTE,
      {},
      { from: '127.0.0.1.evil.example' },
      { ...LOCAL, headers: { 'x-forwarded-for': '127.0.0.1' } },
      { ...LOCAL, headers: { forwarded: 'for=127.0.0.1' } },
      { ...LOCAL, headers: { via: '1.1 proxy' } },
      { ...REMOTE, headers: { 'x-forwarded-for': '127.0.0.1' } },
      { ...REMOTE, token: `${operator}x` },
      { ...REMOTE, token: await tokenOf('operator', 'acme/**:read') },
      { ...REMOTE, token: await tokenOf('reviewer', '**:read,decide') },
      { ...REMOTE, token: await tokenOf('agent', '**:read,write') },
    ]) {
      const response = await guarded.ask(path, refused);
      expect([JSON.stringify(refused).slice(0, 60), response.status]).toEqual([expect.any(String), 404]);
      expect(await response.json()).toMatchObject({ code: 'not_found' });
    }
  }
});

test('/readyz says each check, then `stopping`; what is not begun by then is refused with Retry-After', async () => {
  await using t = await makeRecord();
  await using guarded = guardedApp(t);
  const ok = { repository: 'ok', index: 'ok', ledger: 'ok', state: 'ok', disk: 'ok', lock: 'ok' };
  const ready = await guarded.ask('/readyz', LOCAL);
  expect([ready.status, await ready.json()]).toEqual([200, { status: 'ready', checks: ok }]);
  const call = toolCall('list_scopes', {});
  const served = await guarded.ask('/mcp', call);
  expect(served.status).toBe(200);
  expect(served.headers.get('connection')).not.toBe('close');
  guarded.stop();
  const stopping = await guarded.ask('/readyz', LOCAL);
  expect([stopping.status, await stopping.json()]).toEqual([503, { status: 'not_ready', reason: 'stopping' }]);
  expect((await guarded.ask('/healthz')).status).toBe(200);
  const refused = await guarded.ask('/mcp', call);
  expect(refused.status).toBe(503);
  expect(await refused.json()).toMatchObject({ code: 'stopping' });
  expect([refused.headers.get('retry-after'), refused.headers.get('connection')]).toEqual(['1', 'close']);
});

const silent = createLog(new PassThrough().resume());

test('a probe is bounded in time, never runs twice at once, and its answer is kept; a fault is a reason and a log line', async () => {
  let end = () => {};
  let runs = 0;
  const hanging = readyService({
    log: silent,
    deadlineMs: 20,
    probe: async () => {
      runs += 1;
      await new Promise<void>((resolve) => {
        end = resolve;
      });
      return { checks: {} };
    },
  });
  expect(await hanging.answer()).toEqual({ status: 'not_ready', reason: 'probe_timeout' });
  expect(await Promise.all([hanging.answer(), hanging.answer()])).toMatchObject([{ reason: 'probe_timeout' }, {}]);
  expect(runs).toBe(1);
  end();
  await delay(0);
  expect(await hanging.answer()).toEqual({ status: 'ready', checks: {} });
  expect(runs).toBe(1);

  const door = createDoor();
  const { app } = createApp(door, {
    ready: readyService({ log: door.factory.log, probe: () => Promise.reject(new Error('secret words')) }),
  });
  const local = { incoming: { socket: { remoteAddress: '127.0.0.1' } } };
  const response = await app.request('/readyz', { headers: { host: `127.0.0.1:${PORT}` } }, local);
  expect([response.status, await response.json()]).toEqual([
    503,
    { status: 'not_ready', reason: 'readiness_probe_failed' },
  ]);
  expect(door.logged()).toContain('"route":"/readyz"');
  expect(door.logged()).not.toContain('secret words');
});

test('atMostEvery() runs again when its time is over, and does not keep a failure', async () => {
  let clock = 0;
  const answers = [() => 'a', () => Promise.reject(new Error('no')), () => 'b'];
  const ask = atMostEvery(async () => answers.shift()?.(), { ms: 1_000, now: () => clock });
  expect([await ask(), await ask()]).toEqual(['a', 'a']);
  clock = 1_000;
  await expect(ask()).rejects.toThrow('no');
  expect(await ask()).toBe('b');
});

/** Value of a series; `undefined` when there is none. */
function sample(text: string, series: string): number | undefined {
  const line = text.split('\n').find((one) => one.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}

test('/metrics counts operations, requests, queue, events and lock waits, and no label says what a caller sent', async () => {
  await using t = await makeRecord();
  await using guarded = guardedApp(t);
  const { text: token } = await tokenFor(t, { agentId: 'alice' });
  const save = { trail_name: 'hidden/scope', content: 'Xylophone in a thought' };
  for (let n = 0; n < 2; n += 1)
    expect((await guarded.ask('/mcp', { ...toolCall('save_thought', save), token })).status).toBe(200);
  const { thought } = value(
    await t
      .session('bob')
      .operations()
      .save({ ...save, content: 'Waits' }),
  );
  value(await t.session('bob').operations().propose({ trail_name: save.trail_name, thought_id: thought.thought_id }));
  await guarded.ask('/mcp', {
    ...toolCall('get_thought', { trail_name: 'hidden/scope', thought_id: '0'.repeat(26) }),
    token,
  });
  await guarded.ask('/mcp?q=Xylophone', toolCall('list_scopes', {}));
  await guarded.ask('/nowhere/Xylophone', { token });
  const response = await guarded.ask('/metrics', LOCAL);
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  const text = await response.text();
  expect(sample(text, 'waymark_operations_total{verb="save",outcome="ok"}')).toBe(2);
  expect(sample(text, 'waymark_operations_total{verb="get",outcome="not_found"}')).toBe(1);
  expect(sample(text, 'waymark_operation_duration_seconds_count{verb="save"}')).toBe(2);
  expect(sample(text, 'waymark_http_requests_total{route="/mcp",status="200"}')).toBe(3);
  expect(sample(text, 'waymark_http_requests_total{route="/mcp",status="401"}')).toBe(1);
  expect(sample(text, 'waymark_http_requests_total{route="none",status="404"}')).toBe(1);
  expect(sample(text, 'waymark_auth_failures_total')).toBe(1);
  expect(sample(text, 'waymark_rate_limited_total')).toBe(0);
  expect(sample(text, 'waymark_queue_length')).toBe(1);
  expect(sample(text, 'waymark_queue_oldest_seconds')).toBeGreaterThan(0);
  expect(sample(text, 'waymark_index_behind_commits')).toBe(0);
  expect(sample(text, 'waymark_events_written_total')).toBe(t.record.repository.writes().events);
  expect(sample(text, 'waymark_events_written_total')).toBeGreaterThan(3);
  expect(sample(text, 'waymark_lock_waits_total')).toBe(0);
  expect(sample(text, 'waymark_record_readable')).toBe(1);
  expect(sample(text, 'waymark_build_info{version="1.2.3"}')).toBe(1);
  for (const name of ['process_cpu_seconds_total', 'process_resident_memory_bytes', 'process_start_time_seconds']) {
    expect(sample(text, name)).toBeGreaterThan(0);
  }
  for (const leak of ['Xylophone', 'hidden', 'alice', 'bob', token, thought.thought_id])
    expect(text).not.toContain(leak);
});

test('metrics of a record that cannot be read say so, and still count', async () => {
  const metrics = createMetrics({ figures: () => Promise.reject(new Error('gone')), version: '1' });
  metrics.operation({ verb: 'save', outcome: 'storage', ms: 5 });
  metrics.request({ route: '/mcp', status: 429, ms: 5 });
  const text = await metrics.render();
  expect(sample(text, 'waymark_record_readable')).toBe(0);
  expect(sample(text, 'waymark_queue_length')).toBeNaN();
  expect(sample(text, 'waymark_operations_total{verb="save",outcome="storage"}')).toBe(1);
  expect(sample(text, 'waymark_rate_limited_total')).toBe(1);
});

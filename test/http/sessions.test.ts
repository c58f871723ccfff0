import { expect, test } from 'vitest';
import { DEFAULT_SERVE_SETTINGS } from '../../src/config/index.ts';
import { Sessions } from '../../src/http/sessions.ts';
import { TokenBuckets } from '../../src/http/token-bucket.ts';
import type { Credential } from '../../src/record/principal.ts';
import { Session } from '../../src/trail/session.ts';
import { guardedApp, tokenFor, toolCall } from '../support/access.ts';
import { makeRecord } from '../support/record.ts';

function credential(agentId: string, over: Partial<Credential> = {}): Credential {
  return { id: `id-${agentId}`, agent_id: agentId, role: 'agent', grants: [], authenticated_by: 'token', ...over };
}

test('each credential has a session of its own; the one used longest ago ends when nothing runs in it', async () => {
  await using t = await makeRecord();
  const ended: string[] = [];
  const sessions = new Sessions({
    max: 2,
    onFault: (fault) => expect.fail(String(fault)),
    open: (who) => {
      const session = new Session(t.record, { via: 'http', credential: who, wantsOperator: false, env: {} });
      const close = session.close.bind(session);
      session.close = () => {
        ended.push(who.agent_id);
        return close();
      };
      return session;
    },
  });
  const a = sessions.lease(credential('a'));
  expect(sessions.lease(credential('a')).session).toBe(a.session);
  for (const over of [{ role: 'reviewer' }, { id: 'x' }, { grants: [{ scope: 'a', rights: ['read'] }] }] as const) {
    expect(sessions.lease(credential('a', over)).session).not.toBe(a.session);
  }
  expect(sessions.size).toBe(2);
  // Two requests run in it still.
  expect(ended).not.toContain('a');
  const b = sessions.lease(credential('b'));
  b.release();
  b.release();
  sessions.lease(credential('c'));
  sessions.lease(credential('d'));
  expect(ended).toEqual(['b']);
  await sessions.close();
  expect(ended).toEqual(['b', 'c', 'd']);
});

test('contexts of two credentials differ, also where the environment names one', async () => {
  await using t = await makeRecord();
  const env = { ATRIB_CONTEXT_ID: 'a'.repeat(32) };
  const open = (who?: Credential) =>
    new Session(t.record, {
      via: 'http',
      wantsOperator: false,
      env,
      ...(who === undefined ? {} : { credential: who }),
    });
  const contexts = await Promise.all(
    [undefined, credential('a'), credential('b')].map(async (who) => (await open(who).context()).contextId),
  );
  expect(contexts[0]).toBe(env.ATRIB_CONTEXT_ID);
  expect(new Set(contexts).size).toBe(3);
});

test('a call counts as running until its answer ended, also one that is streamed', async () => {
  await using t = await makeRecord();
  const { text: token } = await tokenFor(t);
  await using served = guardedApp(t, {
    settings: { limits: { ...DEFAULT_SERVE_SETTINGS.limits, concurrent_requests: 1 } },
  });
  const save = { ...toolCall('save_thought', { trail_name: 'a', content: 'x' }), token };
  const running = await served.ask('/mcp', save);
  expect(running.status).toBe(200);
  expect((await served.ask('/mcp', save)).status).toBe(429);
  await running.text();
  const given = await served.ask('/mcp', save);
  expect(given.status).toBe(200);
  await given.body?.cancel();
  expect((await served.ask('/nowhere', { token })).status).toBe(404);
});

test('a bucket refills by the minute, bursts a tenth of it, and is paid back for what is larger', () => {
  let now = 0;
  const buckets = new TokenBuckets({ perMinute: 600, now: () => now });
  for (let spent = 0; spent < 60; spent += 1) expect(buckets.spend('a')).toBe(0);
  expect(buckets.spend('a')).toBe(1);
  expect(buckets.spend('b')).toBe(0);
  now += 1_000;
  for (let spent = 0; spent < 10; spent += 1) expect(buckets.spend('a')).toBe(0);
  expect(buckets.spend('a', 30)).toBe(3);
  now += 6_000;
  expect(buckets.spend('a', 90)).toBe(0);
  expect(buckets.spend('a')).toBe(4);
  // A clock that goes back gives nothing.
  now -= 60_000;
  expect(buckets.spend('a')).toBe(4);
});

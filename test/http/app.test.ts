import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { BODY_LIMIT } from '../../src/http/body.ts';
import { call, connectHttp, createApp, createDoor, PORT } from '../support/mcp-clients.ts';

const headers = { host: `127.0.0.1:${PORT}` };
const POST = {
  method: 'POST',
  headers: { ...headers, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
};

test('/healthz answers 200, and 503 when the record is not healthy or the check throws', async () => {
  const answers = [undefined, () => true, () => false, () => Promise.reject(new Error('gone'))].map(async (healthy) => {
    const { app } = createApp(createDoor(), healthy === undefined ? {} : { healthy });
    const response = await app.request('/healthz', { headers });
    return [response.status, await response.json()];
  });
  expect(await Promise.all(answers)).toEqual([
    [200, { status: 'ok' }],
    [200, { status: 'ok' }],
    [503, { status: 'unavailable' }],
    [503, { status: 'unavailable' }],
  ]);
});

test('/ shows the facts escaped, the last segment of the path only, and no script', async () => {
  const { app } = createApp(createDoor(), {
    status: async () => ({
      record: '/people/someone/<b>record',
      branch: '<script>alert(1)</script>',
      counts: { approved: 12, 'a & b': 3 },
      ledger: 'ok, "120" events',
    }),
  });
  const response = await app.request('/', { headers });
  const page = await response.text();
  expect(response.headers.get('content-type')).toMatch(/^text\/html/);
  expect(page).toContain('<dd>&lt;b&gt;record</dd>');
  expect(page).not.toContain('someone');
  expect(page).not.toContain('<script');
  for (const shown of ['&lt;script&gt;', '1.2.3', '<dt>approved</dt><dd>12</dd>', 'a &amp; b']) {
    expect(page).toContain(shown);
  }
  expect(page).toContain(`http://127.0.0.1:${PORT}/mcp`);
  expect(page).toContain('waymark review');
  expect(page).toContain('prefers-color-scheme:dark');
  const style = /<style>(.*)<\/style>/s.exec(page)?.[1] ?? '';
  const digest = createHash('sha256').update(style).digest('base64');
  expect(response.headers.get('content-security-policy')).toContain(`style-src 'sha256-${digest}'`);
});

test('/ answers 503 and says so when the status cannot be read, without its message', async () => {
  const door = createDoor();
  const { app } = createApp(door, { status: () => Promise.reject(new Error('secret detail')) });
  const response = await app.request('/', { headers });
  expect(response.status).toBe(503);
  expect(await response.text()).not.toContain('secret detail');
  expect(door.logged()).toContain('"page":"status"');
  expect(door.logged()).not.toContain('secret detail');
});

/** A body of `size` bytes in chunks, and how much of it was taken. */
function countedBody(size: number) {
  const taken = { bytes: 0 };
  const chunk = new Uint8Array(64 * 1024).fill(32);
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      const left = size - taken.bytes;
      if (left <= 0) return controller.close();
      const next = chunk.subarray(0, Math.min(left, chunk.length));
      taken.bytes += next.length;
      controller.enqueue(next);
    },
  });
  return { stream, taken };
}

test('a body over the limit is drained and answered 413; one at the limit is read', async () => {
  const { app } = createApp(createDoor());
  for (const [size, status] of [
    [BODY_LIMIT, 400],
    [BODY_LIMIT + 1, 413],
    [2 * BODY_LIMIT, 413],
  ] as const) {
    const { stream, taken } = countedBody(size);
    const response = await app.request('/mcp', { ...POST, body: stream, duplex: 'half' });
    expect(response.status).toBe(status);
    expect(taken.bytes).toBe(size);
  }
});

test('content of 960 KiB that JSON escapes sixfold is over no limit that plain text of its size keeps', async () => {
  const door = createDoor();
  const client = await connectHttp(door, 'auto');
  const content = 'ä"\n<'.repeat(196_000);
  const result = await call(client, 'save_thought', { trail_name: 'a', content });
  expect(result.structuredContent['thought']).toMatchObject({ content });
  await client.close();
});

test.each([
  ['', 400],
  ['{', 400],
  ['[]', 400],
  ['{"jsonrpc":"2.0","id":1,"method":"nothing/here"}', 200],
])('a malformed message %j is a protocol error and leaves the server working', async (body, status) => {
  const { app } = createApp(createDoor());
  const response = await app.request('/mcp', { ...POST, body });
  expect(response.status).toBe(status);
  expect(await response.text()).toContain('"error"');
  expect((await app.request('/healthz', { headers })).status).toBe(200);
});

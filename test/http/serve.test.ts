import { connect } from 'node:net';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { BODY_LIMIT } from '../../src/http/body.ts';
import { type HttpService, type ServeHttpOptions, serveHttp } from '../../src/http/serve.ts';
import { call, createClient, createDoor, type Door, ERAS } from '../support/mcp-clients.ts';

function options(door: Door, over: Partial<ServeHttpOptions> = {}): ServeHttpOptions {
  return {
    mcp: door.factory,
    status: async () => ({ record: '/x/y', branch: 'main', counts: {}, ledger: 'ok' }),
    version: '1.2.3',
    host: '127.0.0.1',
    port: 0,
    ...over,
  };
}

async function served(door: Door, over: Partial<ServeHttpOptions> = {}): Promise<HttpService> {
  const outcome = await serveHttp(options(door, over));
  if (!outcome.ok) throw new Error(outcome.message);
  return outcome.value;
}

/** Sends raw bytes and resolves with everything that came back. */
function exchange(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => socket.end(text));
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      answer += chunk;
    });
    socket.on('end', () => resolve(answer)).on('error', reject);
  });
}

test.each(ERAS)('serves a client in era %s over a real port, then closes', async (era) => {
  const service = await served(createDoor());
  const client = createClient(era);
  await client.connect(new StreamableHTTPClientTransport(new URL(service.endpoint)));
  const saved = await call(client, 'save_thought', { trail_name: 'a', content: 'x' });
  expect(saved.structuredContent).toMatchObject({ status: 'ok' });
  await client.close();
  await service.close();
  await expect(fetch(service.endpoint)).rejects.toThrow();
});

test.each(['127.0.0.1', 'localhost'])(
  'host %s is served, on its own name and the other loopback names',
  async (host) => {
    const service = await served(createDoor(), { host });
    expect(service.endpoint).toBe(`http://${host}:${service.port}/mcp`);
    expect((await fetch(`http://${host}:${service.port}/healthz`)).status).toBe(200);
    await service.close();
  },
);

test.each(['0.0.0.0', '::', '192.168.1.10', 'example.com', '127.0.0.1.example.com', ''])(
  'host %j is refused with a next step',
  async (host) => {
    const outcome = await serveHttp(options(createDoor(), { host }));
    expect(outcome).toMatchObject({ ok: false, code: 'invalid', field: 'host' });
    expect(outcome.ok ? '' : outcome.next).toContain('127.0.0.1');
    expect(outcome.ok ? '' : outcome.next).toContain('waymark token create');
  },
);

test('a host that others reach needs credentials and a name; with both it is served by that name', async () => {
  const nameless = await serveHttp(options(createDoor(), { host: '0.0.0.0', needsCredential: true }));
  expect(nameless).toMatchObject({ ok: false, code: 'invalid', field: 'host' });
  expect(nameless.ok ? '' : nameless.next).toMatch(/public_url.*--allow-host/);
  const named = { host: '0.0.0.0', needsCredential: true, allowedNames: ['box.example'] };
  const service = await served(createDoor(), named);
  expect(service.endpoint).toBe(`http://box.example:${service.port}/mcp`);
  const ask = (host: string) =>
    exchange(service.port, `GET /healthz HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  expect(await ask(`box.example:${service.port}`)).toMatch(/^HTTP\/1\.1 200 /);
  expect(await ask('box.example')).toMatch(/^HTTP\/1\.1 200 /);
  expect(await ask(`other.example:${service.port}`)).toMatch(/^HTTP\/1\.1 403 /);
  await service.close();
  const published = await served(createDoor(), { ...named, allowedNames: [], publicUrl: 'https://waymark.example' });
  expect(published.endpoint).toBe('https://waymark.example/mcp');
  await published.close();
});

test('a port in use is refused with a next step, and the first service goes on', async () => {
  const first = await served(createDoor());
  const outcome = await serveHttp(options(createDoor(), { port: first.port }));
  expect(outcome).toMatchObject({ ok: false, code: 'busy', field: 'port' });
  expect(outcome.ok ? '' : outcome.message).toContain(String(first.port));
  expect((await fetch(new URL('/healthz', first.endpoint))).status).toBe(200);
  await first.close();
});

test.each(['evil.example', 'a b', '127.0.0.1/x', '[', 'user@127.0.0.1'])(
  'the Host %j on the wire gets 403 with the security headers',
  async (host) => {
    const service = await served(createDoor());
    const ask = (name: string) =>
      exchange(service.port, `GET /healthz HTTP/1.1\r\nHost: ${name}\r\nConnection: close\r\n\r\n`);
    const refused = await ask(host);
    expect(refused).toMatch(/^HTTP\/1\.1 403 /);
    expect(refused.toLowerCase()).toContain("content-security-policy: default-src 'none'");
    expect(await ask(`127.0.0.1:${service.port}`)).toMatch(/^HTTP\/1\.1 200 /);
    await service.close();
  },
);

test('a client that sends an oversized body to its end reads 413', async () => {
  const service = await served(createDoor());
  const response = await fetch(service.endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: new Uint8Array(2 * BODY_LIMIT),
  });
  expect(response.status).toBe(413);
  await service.close();
});

test.each(['/mcp', '/nowhere'])(
  'POST %s: a body over the limit is 413 whatever its headers say of it',
  async (path) => {
    const service = await served(createDoor());
    const chunk = `${(1024 * 1024).toString(16)}\r\n${'x'.repeat(1024 * 1024)}\r\n`;
    const start = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${service.port}\r\nConnection: close\r\n`;
    const chunked = await exchange(
      service.port,
      `${start}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(9)}0\r\n\r\n`,
    );
    expect(chunked).toMatch(/^HTTP\/1\.1 413 /);
    const honest = `${start}Content-Length: ${9 * 1024 * 1024}\r\n\r\n${'x'.repeat(9 * 1024 * 1024)}`;
    expect(await exchange(service.port, honest)).toMatch(/^HTTP\/1\.1 413 /);
    // More than it says: the rest is another request, which is none.
    const more = await exchange(service.port, `${start}Content-Length: 2\r\n\r\n{}${'x'.repeat(64)}`);
    expect(more).toMatch(/^HTTP\/1\.1 (400|404|415) /);
    const both = `${start}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`;
    expect(await exchange(service.port, both)).toMatch(/^HTTP\/1\.1 400 /);
    const small = await exchange(service.port, `${start}Content-Length: 2\r\n\r\n{}`);
    expect(small).not.toMatch(/^HTTP\/1\.1 (413|5)/);
    await service.close();
  },
);

test.each([
  '/%2e%2e/healthz',
  '/x/..%2fhealthz',
  '/x/%5c..%5chealthz',
  '/../healthz',
  '/healthz%00',
  '/%ff',
  '//evil.example/healthz',
  `/${'x'.repeat(9_000)}`,
])('the request target %s on the wire gets 400 or 404', async (target) => {
  const service = await served(createDoor());
  const ask = (path: string) =>
    exchange(service.port, `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${service.port}\r\nConnection: close\r\n\r\n`);
  const refused = await ask(target);
  expect(refused).toMatch(/^HTTP\/1\.1 40[04] /);
  expect(refused.toLowerCase()).toContain("content-security-policy: default-src 'none'");
  expect(await ask('/healthz')).toMatch(/^HTTP\/1\.1 200 /);
  await service.close();
});

test('a client that sends its headers or body a byte at a time is cut off, and others are served', async () => {
  const timeouts = { headers: 150, request: 300, check: 50 };
  const service = await served(createDoor(), { timeouts });
  const slow = (text: string) =>
    new Promise<string>((resolve) => {
      let answer = '';
      const socket = connect(service.port, '127.0.0.1', () => socket.write(text));
      const drip = setInterval(() => socket.write('x'), 20);
      socket.setEncoding('utf8').on('data', (data: string) => {
        answer += data;
      });
      socket.on('error', () => {});
      socket.on('close', () => {
        clearInterval(drip);
        resolve(answer);
      });
    });
  const host = `Host: 127.0.0.1:${service.port}`;
  const ended = Promise.all([
    slow(`GET /healthz HTTP/1.1\r\n${host}\r\nX-Slow: `),
    slow(`POST /mcp HTTP/1.1\r\n${host}\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n{`),
  ]);
  expect((await fetch(new URL('/healthz', service.endpoint))).status).toBe(200);
  for (const answer of await ended) expect(answer).toMatch(/^(HTTP\/1\.1 408 |$)/);
  await service.close();
});

test('connections beyond the limit are closed, and those there are go on', async () => {
  const service = await served(createDoor(), { maxConnections: 1 });
  const socket = connect(service.port, '127.0.0.1');
  await new Promise((resolve) => socket.once('connect', resolve));
  const get = `GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:${service.port}\r\n`;
  const first = new Promise<string>((resolve) => socket.once('data', (data) => resolve(data.toString())));
  socket.write(`${get}\r\n`);
  expect(await first).toMatch(/^HTTP\/1\.1 200 /);
  const second = await exchange(service.port, `${get}Connection: close\r\n\r\n`).catch(String);
  expect(second).not.toMatch(/^HTTP/);
  socket.destroy();
  await service.close();
});

test.each(ERAS)('close() finishes the running call of era %s and refuses new connections', async (era) => {
  const door = createDoor();
  let open = () => {};
  door.operations.gate = new Promise((resolve) => {
    open = resolve;
  });
  let begun = () => {};
  const running = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const save = door.operations.save;
  door.operations.save = (input) => {
    begun();
    return save(input);
  };
  const service = await served(door);
  const client = createClient(era);
  await client.connect(new StreamableHTTPClientTransport(new URL(service.endpoint)));
  const answer = call(client, 'save_thought', { trail_name: 'a', content: 'last words' });
  await running;
  const healthz = 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n';
  expect(await exchange(service.port, healthz)).toMatch(/^HTTP\/1\.1 /);
  const closed = service.close();
  // Kernels differ in how they turn a connection away from a port that just closed; none may reach the service.
  const refused = exchange(service.port, healthz).catch(String);
  open();
  expect((await answer).structuredContent).toMatchObject({ status: 'ok' });
  expect(await refused).not.toMatch(/^HTTP/);
  await closed;
  await client.close();
});

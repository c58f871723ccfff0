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
  },
);

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

import { expect, test } from 'vitest';
import { LOOPBACK_HOSTS, refusalOf } from '../../src/http/guard.ts';
import { createApp, createDoor, PORT } from '../support/mcp-clients.ts';

const ROUTES: readonly (readonly [string, string, number])[] = [
  ['GET', '/', 200],
  ['HEAD', '/', 200],
  ['GET', '/healthz', 200],
  ['POST', '/mcp', 415],
  ['GET', '/mcp', 405],
  ['DELETE', '/mcp', 405],
  ['GET', '/nowhere', 404],
  ['POST', '/', 404],
  ['OPTIONS', '/mcp', 405],
  ['PUT', '/healthz', 404],
];

const ACCEPTED: readonly Readonly<Record<string, string>>[] = [
  { host: '127.0.0.1:8765' },
  { host: 'localhost:8765' },
  { host: 'LOCALHOST:8765' },
  { host: '[::1]:8765' },
  { host: '127.0.0.1:8765', origin: 'http://127.0.0.1:8765' },
  { host: '127.0.0.1:8765', origin: 'http://localhost:8765' },
  { host: '[::1]:8765', origin: 'http://[::1]:8765' },
];

const REFUSED: readonly Readonly<Record<string, string>>[] = [
  {},
  { host: '' },
  { host: 'evil.example' },
  { host: 'evil:8181' },
  { host: 'evil.example:8765' },
  { host: '127.0.0.1' },
  { host: '127.0.0.1:80' },
  { host: '127.0.0.1:8766' },
  { host: 'localhost.evil.example:8765' },
  { host: 'localhost.:8765' },
  { host: '127.0.0.1.nip.example:8765' },
  { host: '0.0.0.0:8765' },
  { host: '127.0.0.1:8765@evil.example' },
  { host: '127.0.0.1:8765', origin: 'https://evil.example' },
  { host: '127.0.0.1:8765', origin: 'http://evil.example:8765' },
  { host: '127.0.0.1:8765', origin: 'https://127.0.0.1:8765' },
  { host: '127.0.0.1:8765', origin: 'http://127.0.0.1' },
  { host: '127.0.0.1:8765', origin: 'http://localhost:3000' },
  { host: '127.0.0.1:8765', origin: 'null' },
  { host: '127.0.0.1:8765', origin: '' },
  { host: '127.0.0.1:8765', origin: 'http://127.0.0.1:8765.evil.example' },
  { host: 'evil.example:8765', origin: 'http://evil.example:8765' },
];

test.each(ROUTES)('%s %s answers loopback and refuses every foreign Host and Origin', async (method, path, status) => {
  const { app } = createApp(createDoor());
  for (const headers of ACCEPTED) {
    expect((await app.request(path, { method, headers })).status, JSON.stringify(headers)).toBe(status);
  }
  for (const headers of REFUSED) {
    const response = await app.request(path, { method, headers });
    expect(response.status, JSON.stringify(headers)).toBe(403);
    if (method !== 'HEAD') expect(await response.json()).toMatchObject({ code: 'forbidden' });
  }
});

test.each([...ROUTES, ['GET', '/forbidden', 403] as const])('%s %s carries the security headers', async (...route) => {
  const [method, path, status] = route;
  const { app } = createApp(createDoor());
  const host = status === 403 ? 'evil.example' : `127.0.0.1:${PORT}`;
  const { headers, ...response } = await app.request(path, { method, headers: { host } });
  expect(response).toBeDefined();
  expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/=]+'; /);
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('x-frame-options')).toBe('DENY');
  expect(headers.get('referrer-policy')).toBe('same-origin');
  expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
  expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
  expect(headers.get('permissions-policy')).toContain('camera=()');
  // Only a public HTTPS name is pinned to HTTPS.
  expect(headers.get('strict-transport-security')).toBeNull();
  expect(headers.get('cache-control')).toBe('no-store');
});

test('refusalOf() accepts a Host without port only on port 80', () => {
  const headers = new Headers({ host: 'localhost' });
  expect(refusalOf(headers, { allowedHosts: LOOPBACK_HOSTS, port: 80 })).toBeUndefined();
  expect(refusalOf(headers, { allowedHosts: LOOPBACK_HOSTS, port: 8080 })).toContain('Host');
});

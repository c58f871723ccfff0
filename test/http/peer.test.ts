import { expect, test } from 'vitest';
import { peerOf, proxyTrust } from '../../src/http/peer.ts';
import { targetProblem } from '../../src/http/request-target.ts';
import { guardedApp } from '../support/access.ts';
import { makeRecord } from '../support/record.ts';

const trust = proxyTrust(['127.0.0.1', '10.0.0.0/8', 'fd00::/8']);

function peer(remoteAddress: string | undefined, headers: Readonly<Record<string, string>>) {
  return peerOf(new Headers({ host: 'Direct.example', ...headers }), {
    incoming: { socket: { remoteAddress } },
    trust,
  });
}

test.each([
  [
    '203.0.113.9',
    { 'x-forwarded-for': '1.2.3.4', 'x-forwarded-host': 'evil.example' },
    '203.0.113.9',
    'direct.example',
  ],
  ['127.0.0.1', {}, '127.0.0.1', 'direct.example'],
  ['127.0.0.1', { 'x-forwarded-for': '1.2.3.4', 'x-forwarded-host': 'Public.example' }, '1.2.3.4', 'public.example'],
  ['::ffff:127.0.0.1', { 'x-forwarded-for': '1.2.3.4' }, '1.2.3.4', 'direct.example'],
  ['fd00::1', { 'x-forwarded-for': '2001:db8::7' }, '2001:db8::7', 'direct.example'],
  // What the caller itself claims stands left of what the proxies added.
  ['10.1.2.3', { 'x-forwarded-for': '9.9.9.9, 1.2.3.4' }, '1.2.3.4', 'direct.example'],
  ['10.1.2.3', { 'x-forwarded-for': '9.9.9.9, 1.2.3.4, 10.0.0.2' }, '1.2.3.4', 'direct.example'],
  ['10.1.2.3', { 'x-forwarded-for': '10.0.0.7, 10.0.0.2' }, '10.0.0.7', 'direct.example'],
  ['10.1.2.3', { 'x-forwarded-for': '1.2.3.4, nonsense' }, '10.1.2.3', 'direct.example'],
  ['10.1.2.3', { 'x-forwarded-host': 'evil.example, public.example' }, '10.1.2.3', 'public.example'],
  [undefined, { 'x-forwarded-for': '1.2.3.4' }, 'unknown', 'direct.example'],
])('a request from %s with %j is from %s to %s', (from, headers, address, host) => {
  expect(peer(from, headers)).toEqual({ address, host });
});

test('behind a proxy the public name and origin count, and only there', async () => {
  await using t = await makeRecord();
  const settings = { public_url: 'https://waymark.example', trusted_proxies: ['10.0.0.1'] };
  await using served = guardedApp(t, { settings, isRemote: true });
  const ask = async (headers: Readonly<Record<string, string>>, from = '192.0.2.1') =>
    (await served.ask('/healthz', { headers, from })).status;
  expect(await ask({ host: 'waymark.example' })).toBe(200);
  expect(await ask({ host: 'waymark.example:443', origin: 'https://waymark.example' })).toBe(200);
  for (const headers of [
    { host: 'waymark.example:8443' },
    { host: 'waymark.example', origin: 'http://waymark.example' },
    { host: 'waymark.example', origin: 'https://evil.example' },
    { host: 'evil.example', 'x-forwarded-host': 'waymark.example' },
    { host: 'waymark.example.evil.example' },
  ]) {
    expect(await ask(headers), JSON.stringify(headers)).toBe(403);
  }
  expect(await ask({ host: 'inner:9', 'x-forwarded-host': 'waymark.example' }, '10.0.0.1')).toBe(200);
  expect(await ask({ host: 'waymark.example', 'x-forwarded-host': 'evil.example' }, '10.0.0.1')).toBe(403);
  const { headers } = await served.ask('/healthz', { headers: { host: 'waymark.example' } });
  expect(headers.get('strict-transport-security')).toBe('max-age=31536000');
});

test.each([
  '/t/%2e%2e/x',
  '/t/%2E./x',
  '/s/a%2fb',
  '/s/a%5Cb',
  '/t/a%00',
  '/t/a%0d%0aSet-Cookie:x',
  '/t/\0',
  '/a\\..\\b',
  '/../etc/passwd',
  '/t/./x',
  '/t/%',
  '/t/%zz',
  '/t/%ff%fe',
  '/t/%c0%ae%c0%ae',
  '//evil.example/x',
  'http://evil.example/',
  '*',
  '',
  '/search?q=%00',
  `/search?q=${'x'.repeat(8_192)}`,
])('the target %j is refused', (target) => {
  expect(targetProblem(target)).toBeDefined();
});

test.each([
  '/',
  '/s/acme/eng.v2',
  '/t/01KD2Q8W5N7YJ3V9T4B6RCXEMA/trace?depth=3',
  '/search?q=100%25+..%2F%5C',
  '/search?q=100%',
  '/s/caf%C3%A9',
])('the target %s passes', (target) => {
  expect(targetProblem(target)).toBeUndefined();
});

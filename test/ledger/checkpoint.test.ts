import { expect, test } from 'vitest';
import { checkpointOrigin, logNameOf, parseCheckpoint, renderCheckpoint, sha256 } from '../../src/ledger/index.ts';
import { testSigner } from './support.ts';

const signer = testSigner(1);
const origin = checkpointOrigin('0'.repeat(32), logNameOf(signer.publicKey));
const root = sha256(Buffer.from('root'));
const text = renderCheckpoint({ origin, size: 17, root }, signer);
const expected = { origin, publicKey: signer.publicKey };

function codeOf(changed: string): string {
  const verdict = parseCheckpoint(changed, expected);
  return verdict.ok ? 'ok' : verdict.code;
}

test('a rendered checkpoint reads back', () => {
  expect(parseCheckpoint(text, expected)).toEqual({ ok: true, checkpoint: { origin, size: 17, root } });
  expect(text).toMatch(/^waymark\/0{32}\/[0-9a-f]{16}\n17\n[^\n]{44}\n\n\u2014 waymark[^\n]+\n$/);
});

test('a checkpoint of the atrib conformance data (2.11, Apache-2.0) reads with its published key', () => {
  const published =
    'log-a.conformance.atrib.test/v1\n3\nEgAJl9+zFghvMxoxbQlD+atiMO7u4erg13oGcySgICQ=\n\n' +
    '\u2014 log-a.conformance.atrib.test/v1 kmTjQcVVBPyrdSaW0KHbme5cJbYbIP3ivJM6Vcnupyi38POqnbxBfdgrjC3EGJX0ZQiXWh0voFl8qWjXBsNA9ZOxwgU=\n';
  const publicKey = Buffer.from('rwaj4ykXFOTzVsGcmxXNGVHsbmZiqne+B1R/KJODNB0=', 'base64').toString('base64url');
  const verdict = parseCheckpoint(published, { origin: 'log-a.conformance.atrib.test/v1', publicKey });
  expect(verdict).toMatchObject({ ok: true, checkpoint: { size: 3 } });
});

test('signature lines of others are passed over, ours must be there and hold', () => {
  const witness = `\u2014 witness.example ${Buffer.alloc(76).toString('base64')}\n`;
  expect(codeOf(text + witness)).toBe('ok');
  expect(codeOf(text.replace('\n\n', `\n\n${witness}`))).toBe('ok');
  const [body = '', signature = ''] = text.split('\n\n');
  expect(codeOf(`${body}\n\n${witness}`)).toBe('not_signed');
  // Our key under another name is another signer.
  expect(codeOf(text.replace('\u2014 waymark', '\u2014 other'))).toBe('not_signed');
  const other = renderCheckpoint({ origin, size: 17, root }, testSigner(2));
  expect(codeOf(other)).toBe('not_signed');
  expect(codeOf(`${body.replace('17', '18')}\n\n${signature}`)).toBe('signature_invalid');
  const longer = renderCheckpoint({ origin, size: 18, root }, signer).split('\n\n')[1] ?? '';
  expect(codeOf(`${text}${longer}`)).toBe('signature_invalid');
});

test('another origin and malformed bodies are told apart', () => {
  expect(parseCheckpoint(text, { ...expected, origin: `${origin}x` })).toMatchObject({ code: 'wrong_origin' });
  for (const bad of [
    '',
    text.slice(0, -1),
    text.replace('\n17\n', '\n017\n'),
    text.replace('\n17\n', '\n-1\n'),
    text.replace('\n17\n', '\n9999999999999999\n'),
    text.replace('=\n', '\n'),
    text.replace('=\n', '=\nextra claim\n'),
    text.replace('\u2014', '-'),
    text + 'x'.repeat(17_000),
  ]) {
    expect(codeOf(bad)).toBe('malformed');
  }
});

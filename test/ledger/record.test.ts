import { expect, test } from 'vitest';
import {
  type AtribRecord,
  contentId,
  encodeBase64url,
  genesisChainRoot,
  jcs,
  recordHash,
  signRecord,
  type UnsignedRecord,
  verifyRecord,
  verifyRecordAsync,
  verifySignature,
} from '../../src/ledger/index.ts';
import { CONTEXT, NOW, testSigner } from './support.ts';

const signer = testSigner(1);
const TYPES = 'https://atrib.dev/v1/types/';
const [A, B] = [`sha256:${'1'.repeat(64)}`, `sha256:${'2'.repeat(64)}`] as const;

const valid: UnsignedRecord = {
  spec_version: 'atrib/1.0',
  content_id: contentId('mcp://waymark', 'save'),
  creator_key: signer.publicKey,
  chain_root: genesisChainRoot(CONTEXT),
  event_type: `${TYPES}observation`,
  context_id: CONTEXT,
  timestamp: NOW,
};

/** Verdict on the valid record with `changes`, signed over them. */
function verdictOf(changes: Record<string, unknown>): string {
  const verdict = verifyRecord(signRecord({ ...valid, ...changes }, signer), { now: NOW });
  return verdict.ok ? 'ok' : verdict.code;
}

const annotation = { event_type: `${TYPES}annotation` };
const revision = { event_type: `${TYPES}revision` };
const notGenesis = { chain_root: A };
const token = { provenance_token: 'AAAAAAAAAAAAAAAAAAAAAA' };
const DAY = 86_400_000;

test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
  ['spec_version', { spec_version: 'atrib/1.1' }, {}],
  ['content_id', { content_id: A.toUpperCase() }, { content_id: A }],
  ['content_id', { content_id: '1'.repeat(64) }, { content_id: B }],
  ['chain_root', { chain_root: `${A}0` }, notGenesis],
  [
    'event_type',
    { event_type: `https://x.test/${'a'.repeat(242)}` },
    { event_type: `https://x.test/${'a'.repeat(241)}` },
  ],
  ['event_type', { event_type: 'urn:x#y' }, { event_type: 'urn:x' }],
  ['event_type', { event_type: 'https:///types' }, { event_type: 'https://h/types' }],
  ['context_id', { context_id: 'A'.repeat(32) }, { context_id: 'b'.repeat(32) }],
  ['timestamp', { timestamp: NOW + 0.5 }, { timestamp: 0 }],
  ['timestamp', { timestamp: -1 }, {}],
  ['timestamp', { timestamp: String(NOW) }, {}],
  ['timestamp_in_future', { timestamp: NOW + 300_001 }, { timestamp: NOW + 300_000 }],
  [
    'timestamp_granularity',
    { timestamp: DAY + 1, timestamp_granularity: 'd' },
    { timestamp: DAY, timestamp_granularity: 'd' },
  ],
  ['timestamp_granularity', { timestamp_granularity: 'w' }, { timestamp_granularity: 'ms' }],
  ['informed_by', { informed_by: [] }, { informed_by: [A] }],
  ['informed_by', { informed_by: null }, {}],
  ['informed_by', { informed_by: [A, 'sha256:x'] }, { informed_by: [A, B] }],
  ['informed_by_order', { informed_by: [B, A] }, { informed_by: [A, B] }],
  ['informed_by_order', { informed_by: [A, A] }, { informed_by: [A] }],
  ['annotates', { annotates: A }, { ...annotation, annotates: A }],
  ['annotates', annotation, { ...annotation, annotates: B }],
  ['annotates', { ...annotation, annotates: 'x' }, { ...annotation, annotates: A }],
  ['annotates', { annotates: null }, {}],
  ['annotates', { ...revision, revises: A, annotates: A }, { ...revision, revises: A }],
  ['revises', { revises: A }, { ...revision, revises: A }],
  ['revises', revision, { ...revision, revises: B }],
  ['revises', { ...annotation, annotates: A, revises: A }, { ...annotation, annotates: A }],
  ['checkpoint', { checkpoint: {} }, { event_type: `${TYPES}session_checkpoint`, checkpoint: {} }],
  ['checkpoint', { event_type: `${TYPES}session_checkpoint` }, {}],
  ['provenance_token', { ...token, ...notGenesis }, token],
  ['provenance_token', { provenance_token: 'AAAA' }, token],
  ['delegation_cert_hash', { delegation_cert_hash: A, ...notGenesis }, { delegation_cert_hash: A }],
  ['args_hash', { args_hash: 'sha256:' }, { args_hash: A }],
  ['result_hash', { result_hash: A.slice(1) }, { result_hash: A }],
  ['args_salt', { args_salt: 'AAAA' }, { args_salt: 'AQIDBAUGBwgJCgsMDQ4PEA' }],
  ['tool_name', { tool_name: 1 }, { tool_name: 'save' }],
  ['signers', { signers: [] }, {}],
])('verifyRecord refuses a wrong %s (%j) and takes its neighbour', (code, bad, good) => {
  expect(verdictOf(bad)).toBe(code);
  expect(verdictOf(good)).toBe('ok');
});

test('verifyRecord keeps unknown members under the signature', () => {
  const signed = signRecord({ ...valid, future: { b: 1, a: ['\u{1d11e}'] } }, signer);
  expect(verifyRecord(signed, { now: NOW }).ok).toBe(true);
  expect(verifyRecord({ ...signed, future: { b: 2, a: ['\u{1d11e}'] } }, { now: NOW })).toMatchObject({
    ok: false,
    code: 'signature_invalid',
  });
  expect(recordHash({ ...signed, more: 1 })).not.toBe(recordHash(signed));
});

test('verifyRecord answers a verdict for anything at all', () => {
  for (const value of [null, undefined, 1, 'x', [], [valid]]) {
    expect(verifyRecord(value, { now: NOW })).toMatchObject({ ok: false, code: 'not_an_object' });
  }
  const lone = { ...signRecord(valid, signer), note: '\ud800' };
  expect(verifyRecord(lone, { now: NOW })).toMatchObject({ ok: false, code: 'not_canonical' });
  expect(verifySignature(lone)).toBe(false);
});

test('verifyRecord takes one spelling of key and signature only', () => {
  const signed = signRecord(valid, signer);
  const other = (text: string | undefined) => `${text}=`;
  expect(verifyRecord({ ...signed, creator_key: other(signed.creator_key) }, { now: NOW })).toMatchObject({
    code: 'creator_key',
  });
  expect(verifyRecord({ ...signed, signature: other(signed.signature) }, { now: NOW })).toMatchObject({
    code: 'signature_malformed',
  });
  expect(verifyRecord(signed, { now: NOW }).ok).toBe(true);
});

test('verifyRecordAsync agrees with verifyRecord over many keys', async () => {
  // More keys than the cache holds.
  const records = Array.from({ length: 300 }, (_, at) => {
    const key = testSigner(at % 256);
    const record = signRecord({ ...valid, creator_key: key.publicKey, timestamp: NOW - at }, key);
    return at % 3 === 0 ? { ...record, timestamp: NOW + 1 } : record;
  });
  const verdicts = await Promise.all(records.map((record) => verifyRecordAsync(record, { now: NOW })));
  expect(verdicts).toEqual(records.map((record) => verifyRecord(record, { now: NOW })));
  expect(verdicts.filter(({ ok }) => ok).length).toBe(200);
});

function transaction(sign: readonly number[], creator = 1): AtribRecord {
  const { publicKey } = testSigner(creator);
  const body = { ...valid, event_type: `${TYPES}transaction`, creator_key: publicKey, signers: [] };
  const signers = sign.map((byte) => {
    const key = testSigner(byte);
    return { creator_key: key.publicKey, signature: encodeBase64url(key.sign(jcs(body))) };
  });
  return { ...body, signers };
}

test("a transaction of several signers is valid by its creator's entry", () => {
  const two = transaction([1, 2]);
  expect(verifyRecord(two, { now: NOW }).ok).toBe(true);
  expect(verifyRecord(transaction([2, 1]), { now: NOW }).ok).toBe(true);
  // The reference leaves an empty signature; it is hashed as it stands.
  expect(verifyRecord({ ...two, signature: '' }, { now: NOW }).ok).toBe(true);
  expect(recordHash({ ...two, signature: '' })).not.toBe(recordHash(two));
  const withoutCreator = transaction([2, 3]);
  expect(verifyRecord(withoutCreator, { now: NOW })).toMatchObject({ code: 'signature_invalid' });
  const swapped = transaction([1, 2]).signers?.map((entry, at, all) => ({
    ...entry,
    signature: all[1 - at]?.signature,
  }));
  expect(verifyRecord({ ...two, signers: swapped }, { now: NOW })).toMatchObject({ code: 'signature_invalid' });
  expect(verifyRecord({ ...two, signers: [1] }, { now: NOW })).toMatchObject({ code: 'signers' });
  // Without `signers` a transaction is signed as any record.
  expect(verdictOf({ event_type: `${TYPES}transaction` })).toBe('ok');
});

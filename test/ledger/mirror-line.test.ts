import { expect, test } from 'vitest';
import {
  type AtribRecord,
  genesisChainRoot,
  hashOf,
  jcs,
  MAX_MIRROR_LINE,
  type MirrorLine,
  readMirrorLine,
  recordHash,
  sidecarMatches,
  signRecord,
  verifyRecord,
} from '../../src/ledger/index.ts';
import { CONTEXT, NOW, testEvent, testSigner } from './support.ts';

const content = { what: 'It retries', topics: ['retry'] };
const record = signed({ args_hash: hashOf(jcs(content)) });

/** A record with these members added, signed over them. */
function signed(members: Readonly<Record<string, unknown>> = {}): AtribRecord {
  const signer = testSigner(1);
  return signRecord(
    {
      spec_version: 'atrib/1.0',
      content_id: hashOf(Buffer.from('mcp://atrib-emit:observation')),
      creator_key: signer.publicKey,
      chain_root: genesisChainRoot(CONTEXT),
      event_type: 'https://atrib.dev/v1/types/observation',
      context_id: CONTEXT,
      timestamp: NOW,
      ...members,
    },
    signer,
  );
}

function read(line: unknown): MirrorLine {
  return readMirrorLine(Buffer.from(typeof line === 'string' ? line : JSON.stringify(line)));
}

function codeOf(line: unknown): string {
  const found = read(line);
  return found.ok ? 'ok' : found.code;
}

test('readMirrorLine takes every shape that writers of atrib leave and hashes the record alone', () => {
  const found = { ok: true, record, hash: recordHash(record) };
  const local = { content, producer: 'atrib-emit' };
  expect(read(record)).toEqual({ ...found, local: null });
  expect(read({ record })).toEqual({ ...found, local: null });
  expect(read({ record, _local: local, written_at: NOW, proof: null })).toEqual({ ...found, local });
  expect(read({ record, proof: { log_index: 1 }, record_hash: 'sha256:00' })).toEqual({
    ...found,
    local: null,
    statedHash: 'sha256:00',
    proof: { log_index: 1 },
  });
  expect(read({ signed_record: record, record_hash: found.hash })).toEqual({
    ...found,
    local: null,
    statedHash: found.hash,
  });
  expect(read({ record, _local: 'text' })).toEqual({ ...found, local: null });
  expect(read(`${JSON.stringify(record)}\r`)).toEqual({ ...found, local: null });
});

test('readMirrorLine keeps the members and the order of a record as they are stored', () => {
  const odd = `{"zzz":1.0,${JSON.stringify(record).slice(1, -1)},"record":{"x":1},"__proto__":{"y":[]},"10":1,"9":2}`;
  const found = read(odd);
  if (!found.ok) throw new Error(found.message);
  expect(Object.keys(found.record)).toContain('__proto__');
  expect(found.hash).toBe(hashOf(jcs(JSON.parse(odd))));
  expect(found.hash).not.toBe(recordHash(record));
});

test('readMirrorLine signs and hashes a member `__proto__` as any other', () => {
  const [one, other] = ['{"__proto__":{"y":1}}', '{"__proto__":{"y":2}}'].map((text) => signed(JSON.parse(text)));
  for (const stored of [one, other]) {
    const found = read({ record: stored });
    expect(found.ok && verifyRecord(found.record, { now: NOW }).ok).toBe(true);
    expect(found.ok && found.hash).toBe(hashOf(jcs(stored)));
  }
  expect(one?.signature).not.toBe(other?.signature);
});

test('readMirrorLine sees a transaction with signers and a record that would not verify', () => {
  const { signature: _, ...unsigned } = record;
  const signers = [{ creator_key: 'k', signature: 's' }];
  expect(codeOf({ ...unsigned, signature: '', signers })).toBe('ok');
  expect(codeOf({ ...unsigned, signers })).toBe('ok');
  expect(codeOf({ context_id: '', creator_key: '', event_type: '', timestamp: -1.5, signature: '' })).toBe('ok');
});

test('readMirrorLine refuses what is no record and says why', () => {
  const text = JSON.stringify(record);
  expect(codeOf(text)).toBe('ok');
  const cases: readonly (readonly [unknown, string])[] = [
    ['', 'not_json'],
    ['{"a":', 'not_json'],
    ['null', 'not_a_record'],
    ['[1]', 'not_a_record'],
    [{}, 'not_a_record'],
    [{ record: null }, 'not_a_record'],
    ...['context_id', 'creator_key', 'event_type', 'timestamp', 'signature'].map(
      (member) => [{ record: { ...record, [member]: null } }, 'not_a_record'] as const,
    ),
    [text.replace('{', '{"n":1e999,'), 'not_canonical'],
    [text.replace('{', '{"s":"\\ud800",'), 'not_canonical'],
    [text.replace(`"timestamp":${NOW}`, '"timestamp":1e999'), 'not_a_record'],
    [text.replace('{', `{"deep":${'['.repeat(64)}${']'.repeat(64)},`), 'too_deep'],
    [`${'['.repeat(1_000_000)}`, 'too_deep'],
    [text.replace('{', `{"long":"${'x'.repeat(MAX_MIRROR_LINE)}",`), 'too_long'],
  ];
  for (const [line, code] of cases) expect(codeOf(line)).toBe(code);
  const latin = Buffer.from(text.replace('{', '{"s":"\u00e9",'), 'latin1');
  expect(readMirrorLine(latin)).toMatchObject({ ok: false, code: 'not_utf8' });
});

test('readMirrorLine counts levels and not brackets in text', () => {
  const brackets = signed({ s: `\\"${'[{'.repeat(200)}`, deep: JSON.parse(`${'['.repeat(62)}${']'.repeat(62)}`) });
  expect(codeOf({ record: brackets })).toBe('ok');
});

test('sidecarMatches compares what each writer commits to', () => {
  const salt = Buffer.alloc(16, 7);
  const salted = signed({
    args_salt: salt.toString('base64url'),
    args_hash: hashOf(Buffer.concat([salt, jcs(content)])),
  });
  const toolCall = signed({ args_hash: hashOf(jcs({ path: '/a' })) });
  expect(sidecarMatches(record, { content, other: 1 })).toBe(true);
  expect(sidecarMatches(record, { content: { ...content, what: 'It does not' } })).toBe(false);
  expect(sidecarMatches(salted, { content })).toBe(true);
  expect(sidecarMatches(signed({ args_hash: salted.args_hash }), { content })).toBe(false);
  expect(sidecarMatches(signed({ ...salted, args_salt: 'not base64url!' }), { content })).toBe(false);
  expect(sidecarMatches(toolCall, { toolName: 'read', args: { path: '/a' }, result: {} })).toBe(true);
  expect(sidecarMatches(toolCall, { toolName: 'read', args: { path: '/b' } })).toBe(false);
  expect(sidecarMatches(record, { content: '\ud800' })).toBe(false);
});

test('sidecarMatches says nothing where nothing was committed to, or nothing is there to compare', () => {
  expect(sidecarMatches(signed(), { content })).toBeUndefined();
  expect(sidecarMatches(record, null)).toBeUndefined();
  expect(sidecarMatches(record, { producer: 'atrib-emit' })).toBeUndefined();
  expect(sidecarMatches(signed({ args_hash: 'sha256:short' }), { content })).toBeUndefined();
});

test("sidecarMatches holds Waymark's records to the whole sidecar, apart from content that a mirror added", () => {
  const event = testEvent({ signer: testSigner(2) });
  const local = JSON.parse(event.line)._local;
  expect(sidecarMatches(event.record, local)).toBe(true);
  expect(sidecarMatches(event.record, { ...local, content: { what: 'the text' } })).toBe(true);
  expect(sidecarMatches(event.record, { ...local, reason: 'another' })).toBe(false);
});

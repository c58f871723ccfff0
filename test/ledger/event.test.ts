import { expect, test } from 'vitest';
import {
  appendLeaf,
  checkEnvelope,
  type EventEnvelope,
  encodeBase64url,
  genesisChainRoot,
  jcs,
  leafHash,
  logEntry,
  logNameOf,
  MAX_EVENT_BYTES,
  matchesDigest,
  readEventLine,
  recordHash,
  rootOf,
  signRecord,
  verifyRecord,
} from '../../src/ledger/index.ts';
import { CONTEXT, emptyTail, NOW, testEvent, testSigner } from './support.ts';

const signer = testSigner(1);
const [A, B] = [`sha256:${'a'.repeat(64)}`, `sha256:${'b'.repeat(64)}`] as const;
const bytes = (text: string) => Buffer.from(text, 'utf8');

const full = testEvent({
  signer,
  seen: B,
  draft: {
    verb: 'approve',
    annotates: A,
    informed_by: [B, A, B],
    local: {
      agent_id: 'ann',
      role: 'operator',
      scope: 'acme/x',
      thought_id: '01',
      status: 'approved',
      reason: 'right',
      kind: 'human',
    },
    files: [
      { path: 'trails/acme/x/thoughts/drafts/01.md', before: null, after: bytes('the body'), status: 'approved' },
    ],
    claim: 'c'.repeat(64),
    idempotency: { key: 'k', input: { b: 1, a: 2 } },
  },
});
const envelope: EventEnvelope = { record: full.record, _local: full.local };

function codesOf(changed: EventEnvelope): readonly string[] {
  const record = verifyRecord(changed.record, { now: NOW });
  const parts = checkEnvelope(changed);
  return [record.ok ? 'ok' : record.code, parts.ok ? 'ok' : parts.code];
}

test('buildEvent signs a record that verifies, is bound to its sidecar and reads back', () => {
  expect(codesOf(envelope)).toEqual(['ok', 'ok']);
  expect(readEventLine(bytes(full.line))).toEqual({ ok: true, envelope, text: full.line });
  expect(full.record.informed_by).toEqual([A, B]);
  expect(full.record.annotates).toBe(A);
  expect(full.record.waymark).toEqual({ log: logNameOf(signer.publicKey), seq: 0, prev: null, seen: B });
  expect(full.hash).toBe(recordHash(full.record));
  expect(full.path).toBe(`ledger/${full.tail.log}/0000/00/00.jsonl`);
  expect(full.line).not.toContain('the body');
});

test('buildEvent keeps digests that only the nonce opens', () => {
  const { nonce, files, claim, idempotency } = full.local;
  expect(matchesDigest(nonce, bytes('the body'), files?.[0]?.after ?? '')).toBe(true);
  expect(matchesDigest(nonce, bytes('the bodY'), files?.[0]?.after ?? '')).toBe(false);
  expect(matchesDigest(nonce, bytes('text'), '')).toBe(false);
  expect(files?.[0]?.before).toBeNull();
  expect(matchesDigest(nonce, bytes('c'.repeat(64)), claim ?? '')).toBe(true);
  expect(idempotency?.key).toBe('k');
  expect(matchesDigest(nonce, jcs({ a: 2, b: 1 }), idempotency?.input ?? '')).toBe(true);
  const again = testEvent({ signer, draft: { files: [{ path: 'p', before: null, after: bytes('the body') }] } });
  expect(again.local.files?.[0]?.after).not.toBe(files?.[0]?.after);
});

test('buildEvent chains a log: position, predecessor and tree', () => {
  let tail = emptyTail(signer);
  let peaks: readonly Uint8Array[] = [];
  for (let seq = 0; seq < 20; seq++) {
    const event = testEvent({ signer, tail, timestamp: NOW + seq });
    expect(event.record.waymark).toMatchObject({ seq, prev: tail.last });
    peaks = appendLeaf(peaks, seq, leafHash(logEntry(event.record, event.hash)));
    tail = event.tail;
  }
  expect(tail.size).toBe(20);
  expect(rootOf(tail.peaks)).toEqual(rootOf(peaks));
});

test('buildEvent turns the other target of a revision into a cause', () => {
  const { record } = testEvent({ signer, draft: { verb: 'approve', annotates: B, revises: A } });
  expect(record).toMatchObject({ event_type: 'https://atrib.dev/v1/types/revision', revises: A, informed_by: [B] });
  expect(Object.hasOwn(record, 'annotates')).toBe(false);
  expect(verifyRecord(record, { now: NOW }).ok).toBe(true);
  expect(Object.hasOwn(testEvent({ signer }).record, 'informed_by')).toBe(false);
});

test('buildEvent refuses the log of another key and an event too large to read back', () => {
  expect(() => testEvent({ signer, tail: emptyTail(testSigner(2)) })).toThrow(/is not of the key/);
  const local = { agent_id: 'ann', role: 'agent' } as const;
  expect(() => testEvent({ signer, draft: { local: { ...local, reason: 'x'.repeat(MAX_EVENT_BYTES) } } })).toThrow(
    RangeError,
  );
  const most = testEvent({ signer, draft: { local: { ...local, reason: 'x'.repeat(MAX_EVENT_BYTES - 2000) } } });
  expect(readEventLine(bytes(most.line)).ok).toBe(true);
});

const otherHash = `sha256:${'e'.repeat(64)}`;
const { publicKey: otherKey } = testSigner(2);

test.each<[string, unknown, string]>([
  ['spec_version', 'atrib/2', 'spec_version'],
  ['content_id', otherHash, 'signature_invalid'],
  ['creator_key', otherKey, 'signature_invalid'],
  ['chain_root', otherHash, 'signature_invalid'],
  ['event_type', 'urn:waymark:event:save', 'annotates'],
  ['context_id', 'b'.repeat(32), 'signature_invalid'],
  ['timestamp', NOW - 1, 'signature_invalid'],
  ['informed_by', [A], 'signature_invalid'],
  ['annotates', B, 'signature_invalid'],
  ['args_hash', otherHash, 'signature_invalid'],
  ['waymark', { ...full.record.waymark, seq: 1 }, 'signature_invalid'],
  ['signature', encodeBase64url(new Uint8Array(64)), 'signature_invalid'],
  ['added', 1, 'signature_invalid'],
])('changing %s of the record is noticed', (member, value, code) => {
  expect(codesOf({ ...envelope, record: { ...full.record, [member]: value } })[0]).toBe(code);
  expect(codesOf(envelope)[0]).toBe('ok');
});

test.each([...Object.keys(full.local), 'added'])('changing %s of the sidecar is a sidecar_mismatch', (member) => {
  const value = full.local[member];
  const changed = typeof value === 'string' ? `${value}x` : [value];
  expect(codesOf({ ...envelope, _local: { ...full.local, [member]: changed } })).toEqual(['ok', 'sidecar_mismatch']);
  expect(codesOf(envelope)).toEqual(['ok', 'ok']);
});

test('a missing sidecar, commitment or position each have their own verdict', () => {
  const { record } = full;
  expect(codesOf({ record })).toEqual(['ok', 'sidecar_missing']);
  const { args_hash: _, ...unbound } = record;
  expect(codesOf({ ...envelope, record: signRecord(unbound, signer) })).toEqual(['ok', 'sidecar_unbound']);
  const { waymark, ...unplaced } = record;
  expect(codesOf({ ...envelope, record: signRecord(unplaced, signer) })).toEqual(['ok', 'position_missing']);
  for (const place of [
    { log: logNameOf(otherKey), seq: 0, prev: null, seen: null },
    { log: waymark?.log ?? '', seq: 1, prev: null, seen: null },
    { log: waymark?.log ?? '', seq: 0, prev: A, seen: null },
  ]) {
    expect(codesOf({ ...envelope, record: signRecord({ ...record, waymark: place }, signer) })).toEqual([
      'ok',
      'wrong_log',
    ]);
  }
});

test('readEventLine reads one line with or without its newline', () => {
  for (const text of [full.line, full.line.trimEnd()]) expect(readEventLine(bytes(text)).ok).toBe(true);
  const extra = { code: 'extra_line', line: 2 };
  expect(readEventLine(bytes(`${full.line}${full.line}`))).toMatchObject(extra);
  expect(readEventLine(bytes(`${full.line}\n`))).toMatchObject(extra);
});

test.each<[string, Uint8Array]>([
  ['empty', bytes('')],
  ['empty', bytes('\n')],
  ['not_json', bytes('{"a":')],
  ['not_json', bytes(`\ufeff${full.line}`)],
  ['not_utf8', Buffer.concat([bytes('"'), Buffer.of(0xff), bytes('"')])],
  ['malformed', bytes('[]')],
  ['malformed', bytes('null')],
  ['malformed', bytes('{"record":{}}')],
  ['malformed', bytes(full.line.replace('"verb":"approve"', '"verb":"smuggle"'))],
  ['malformed', bytes(full.line.replace(/"seq":0/, '"seq":-1'))],
  ['not_canonical', bytes(full.line.replace('"reason":"right"', '"reason":"\\ud800"'))],
  ['not_canonical', bytes(full.line.replace('"reason":"right"', `"note":${'['.repeat(60_000)}${']'.repeat(60_000)}`))],
  ['too_large', Buffer.alloc(MAX_EVENT_BYTES + 1, 0x20)],
])('readEventLine names %s', (code, input) => {
  expect(readEventLine(input)).toMatchObject({ ok: false, code, line: 1 });
});

test('readEventLine never quotes what it could not read', () => {
  const verdict = readEventLine(bytes('{"record": ghp_secret'));
  expect(verdict.ok).toBe(false);
  expect(JSON.stringify(verdict)).not.toContain('secret');
});

test('readEventLine keeps members it does not know, so that hashes hold', () => {
  const record = signRecord({ ...full.record, ...JSON.parse('{"__proto__":1,"future":{"x":[1]}}') }, signer);
  const read = readEventLine(bytes(JSON.stringify({ record, _local: full.local, written_at: 1 })));
  expect(read.ok && recordHash(read.envelope.record)).toBe(recordHash(record));
  expect(read.ok && Object.hasOwn(read.envelope.record, '__proto__')).toBe(true);
  expect(record.chain_root).toBe(genesisChainRoot(CONTEXT));
});

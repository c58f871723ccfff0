/** `waymark verify --records`: mirrors of every shape, without a record. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { encodeBase64url, genesisChainRoot, hashOf, jcs, recordHash, signRecord } from '../../src/ledger/index.ts';
import type { AtribRecord, UnsignedRecord } from '../../src/ledger/types.ts';
import { CONTEXT, testSigner } from '../ledger/support.ts';
import { tempDir } from '../support/temp-dir.ts';
import { MAIN, startWaymark, waymark } from './support.ts';

const [alice, bob, eve] = [testSigner(1), testSigner(2), testSigner(3)];
const env = { HOME: '/nonexistent' };

function unsigned(type: string, members: Readonly<Record<string, unknown>> = {}): UnsignedRecord {
  return {
    spec_version: 'atrib/1.0',
    content_id: hashOf(Buffer.from('x')),
    creator_key: alice.publicKey,
    chain_root: genesisChainRoot(CONTEXT),
    event_type: `https://atrib.dev/v1/types/${type}`,
    context_id: CONTEXT,
    timestamp: 1_780_000_000_000,
    ...members,
  };
}

function observation(n: number): AtribRecord {
  return signRecord(unsigned('observation', { tool_name: `tool-${n}` }), alice);
}

/** Signed by alice and bob over the same bytes; eve's entry holds alice's signature. */
function transaction(): AtribRecord {
  const bare = unsigned('transaction', { signers: [] });
  const sign = (signer: typeof alice) => encodeBase64url(signer.sign(jcs(bare)));
  const signers = [alice, eve, bob].map((signer) => ({
    creator_key: signer.publicKey,
    signature: sign(signer === eve ? alice : signer),
  }));
  return { ...bare, signature: '', signers };
}

const tampered = { ...observation(5), timestamp: 1_780_000_000_001 };
const noSigner = { ...transaction(), signers: transaction().signers?.filter((_, at) => at > 0) ?? [] };
const valid = (record: AtribRecord, signers = [alice.publicKey]) => ({
  record_hash: recordHash(record),
  valid: true,
  signers,
});
const bad = (reason: string, record: AtribRecord | null = null, signers: readonly string[] = []) => ({
  record_hash: record && recordHash(record),
  valid: false,
  reason,
  signers,
});

const LINES: readonly (readonly [text: string, verdict: object | null])[] = [
  [JSON.stringify(observation(1)), valid(observation(1))],
  [JSON.stringify({ record: observation(2), _local: { content: {} }, written_at: 1 }), valid(observation(2))],
  [JSON.stringify({ record: observation(3), proof: null }), valid(observation(3))],
  [JSON.stringify({ signed_record: observation(4), record_hash: 'x' }), valid(observation(4))],
  ['', null],
  [JSON.stringify(transaction()), valid(transaction(), [alice.publicKey, bob.publicKey])],
  [JSON.stringify(noSigner), bad('signature_invalid', noSigner, [bob.publicKey])],
  [JSON.stringify(tampered), bad('signature_invalid', tampered)],
  ['{"record": ', bad('not_json')],
  ['{"a": 1}', bad('not_a_record')],
  ['\xff\xfe', bad('not_utf8')],
  [`{"a": "${'x'.repeat(5 * 2 ** 20)}"}`, bad('too_long')],
  ['['.repeat(200_000), bad('too_deep')],
  [
    JSON.stringify({ ...observation(6), annotates: recordHash(observation(1)) }),
    bad('annotates', { ...observation(6), annotates: recordHash(observation(1)) }),
  ],
  // The last line has no newline.
  [JSON.stringify(observation(7)), valid(observation(7))],
];

function mirror(lines: readonly string[] = LINES.map(([text]) => text)): string {
  const file = join(tempDir(), 'mirror.jsonl');
  writeFileSync(file, Buffer.from(lines.join('\n'), 'latin1'));
  return file;
}

const EXPECTED = LINES.flatMap(([, verdict], at) => (verdict === null ? [] : [{ line: at + 1, ...verdict }]));

test('each line of every shape gets an object in its order, from a file and from stdin, and nothing else', async () => {
  const file = mirror();
  const fromFile = await waymark(['verify', '--records', file], { cwd: '/', env });
  expect(fromFile.stderr).toBe('');
  const objects = fromFile.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(objects).toEqual(EXPECTED);
  expect(fromFile.code).toBe(1);
  const piped = await promisify(execFile)('sh', [
    '-c',
    `cat "${file}" | "${process.execPath}" "${MAIN}" verify --records -; true`,
  ]);
  expect(piped.stdout).toBe(fromFile.stdout);
});

test('a mirror of valid records is 0, an empty one too, and what cannot be read is 3 with an empty stdout', async () => {
  const good = await waymark(['verify', '--records', mirror([JSON.stringify(observation(1))])], { cwd: '/', env });
  expect(good).toMatchObject({ code: 0, stderr: '' });
  expect(await waymark(['verify', '--records', mirror([])], { cwd: '/', env })).toEqual({
    code: 0,
    stdout: '',
    stderr: '',
  });
  const folder = tempDir();
  mkdirSync(join(folder, 'd'));
  for (const name of ['absent.jsonl', 'd']) {
    const ended = await waymark(['verify', '--json', '--records', join(folder, name)], { cwd: '/', env });
    expect(ended).toMatchObject({ code: 3, stdout: '' });
    expect(ended.stderr).toContain('cannot be read');
  }
});

test('a reader that has enough ends it without a word', async () => {
  const file = mirror(Array.from({ length: 5_000 }, () => JSON.stringify(observation(1))));
  const { child, ended } = startWaymark(['verify', '--records', file], { cwd: '/', env });
  const [first] = await once(child.stdout ?? expect.fail(), 'data');
  expect(String(first)).toContain('"valid":true');
  child.stdout?.destroy();
  expect(await ended).toMatchObject({ stderr: '' });
});

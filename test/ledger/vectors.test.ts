import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  type AtribRecord,
  appendLeaf,
  contentId,
  encodeBase64url,
  eventTypeByte,
  genesisChainRoot,
  hashOf,
  isEventType,
  jcs,
  leafHash,
  logEntry,
  mirrorTail,
  nodeHash,
  provenanceToken,
  recordHash,
  resolveChainRoot,
  rootOf,
  sha256,
  signerFromSeed,
  signRecord,
  verifyRecord,
  verifyRecordAsync,
  verifySignature,
} from '../../src/ledger/index.ts';
import { vector, vectorPath } from './support.ts';

const record = z.custom<AtribRecord>((value) => typeof value === 'object' && value !== null);
const anything = z.looseObject({});

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

function signer(seedHex: string) {
  return signerFromSeed(Buffer.from(seedHex, 'hex'), { protection: 'none' });
}

/** JCS of the record without its signature, as text. */
function signingInput(of: AtribRecord): string {
  const { signature: _, ...rest } = of;
  return Buffer.from(jcs(rest)).toString('utf8');
}

function casesIn(folder: string): readonly string[] {
  return readdirSync(vectorPath(folder)).map((name) => `${folder}/${name}`);
}

describe('1.4 signing', () => {
  const { vectors } = vector(
    '1.4/signing-vectors.json',
    z.object({
      vectors: z.array(
        z.object({
          name: z.string(),
          input: z.object({ private_key_seed_hex: z.string(), record }),
          expected: z.looseObject({
            public_key_hex: z.string(),
            canonical_signing_input: z.string(),
            signing_input_sha256_hex: z.string(),
            signature_base64url: z.string(),
            record_hash_hex: z.string(),
            next_chain_root: z.string(),
            log_entry_byte: z.string(),
          }),
        }),
      ),
    }),
  );

  test('has all 4 cases', () => expect(vectors.length).toBe(4));

  test.each(vectors)('$name', ({ input, expected }) => {
    const key = signer(input.private_key_seed_hex);
    expect(Buffer.from(key.publicKey, 'base64url').toString('hex')).toBe(expected.public_key_hex);
    const signed = signRecord(input.record, key);
    expect(signingInput(signed)).toBe(expected.canonical_signing_input);
    expect(hex(sha256(Buffer.from(signingInput(signed))))).toBe(expected.signing_input_sha256_hex);
    expect(signed.signature).toBe(expected.signature_base64url);
    expect(recordHash(signed)).toBe(`sha256:${expected.record_hash_hex}`);
    expect(recordHash(signed)).toBe(expected.next_chain_root);
    expect(isEventType(signed.event_type)).toBe(true);
    expect(eventTypeByte(signed.event_type)).toBe(Number(expected.log_entry_byte));
    expect(verifyRecord(signed, { now: signed.timestamp }).ok).toBe(true);
  });
});

describe('1.4 adversarial', () => {
  const { vectors } = vector(
    '1.4/adversarial-vectors.json',
    z.object({
      vectors: z.array(
        z.object({
          name: z.string(),
          input: z.object({ record }),
          expected: z.object({
            verification_passes: z.boolean(),
            canonical_signing_input: z.string().optional(),
            signing_input_sha256_hex: z.string().optional(),
          }),
        }),
      ),
    }),
  );
  const codes: Record<string, string> = {
    'bit-flipped-signature': 'signature_invalid',
    'truncated-signature': 'signature_malformed',
    'wrong-creator-key': 'signature_invalid',
    'malformed-context-id': 'context_id',
    'invalid-event-type-uri': 'event_type',
  };

  test('has all 7 cases', () => expect(vectors.length).toBe(7));

  test.each(vectors)('$name', async ({ name, input, expected }) => {
    const verdict = verifyRecord(input.record, { now: 1767225600000 });
    expect(verdict.ok).toBe(expected.verification_passes);
    if (!verdict.ok) expect(verdict.code).toBe(codes[name]);
    if (expected.canonical_signing_input !== undefined) {
      expect(signingInput(input.record)).toBe(expected.canonical_signing_input);
      expect(hex(sha256(Buffer.from(signingInput(input.record))))).toBe(expected.signing_input_sha256_hex);
    }
    expect(await verifyRecordAsync(input.record, { now: 1767225600000 })).toEqual(verdict);
  });
});

describe('1.2.3 chain_root', () => {
  const files = casesIn('1.2.3/multi-producer/cases');
  const schema = z.object({
    input: z.object({
      context_id: z.string(),
      inbound_record_hash_hex: z.string().nullable(),
      auto_chain_tail_hex: z.string().nullable(),
      env: z.record(z.string(), z.string()),
      mirror_tail_hex: z.string().nullable(),
      mirror_corpus: z.object({ files: z.array(z.object({ lines: z.array(anything) })) }).optional(),
    }),
    expected: z.looseObject({ chain_root: z.string(), precedence_layer: z.string() }),
  });
  const written = (bare: string | null) => (bare === null ? null : `sha256:${bare}`);

  test('has all 12 cases', () => expect(files.length).toBe(12));

  test.each(files)('%s', (file) => {
    const { input, expected } = vector(file, schema);
    const corpus = input.mirror_corpus?.files.map(({ lines }) =>
      lines.map((line) => record.parse(line['record'] ?? line)),
    );
    const resolved = resolveChainRoot({
      contextId: input.context_id,
      inbound: written(input.inbound_record_hash_hex),
      ownTail: written(input.auto_chain_tail_hex),
      env: input.env,
      mirrorTail: corpus === undefined ? written(input.mirror_tail_hex) : mirrorTail(input.context_id, corpus),
    });
    expect(resolved).toEqual({ chainRoot: expected.chain_root, layer: expected.precedence_layer });
  });
});

describe('1.2.6 provenance_token', () => {
  const accepting = z.object({
    input: z.object({ record, signer_seed_hex: z.string() }),
    expected: z.looseObject({
      canonical_signing_input_utf8: z.string().optional(),
      record_hash_hex: z.string(),
      validator_should_accept: z.boolean(),
      verifier_signature_ok: z.boolean(),
    }),
  });
  const single = ['genesis-with-provenance', 'non-genesis-with-provenance', 'omits-when-absent'];

  test('has all 4 cases', () => expect(casesIn('1.2.6/cases').length).toBe(single.length + 1));

  test.each(single)('%s', (name) => {
    const { input, expected } = vector(`1.2.6/cases/${name}.json`, accepting);
    const { signature, ...unsigned } = input.record;
    expect(signRecord({ ...input.record }, signer(input.signer_seed_hex)).signature).toBe(signature);
    expect(Object.hasOwn(unsigned, 'signature')).toBe(false);
    if (expected.canonical_signing_input_utf8 !== undefined) {
      expect(signingInput(input.record)).toBe(expected.canonical_signing_input_utf8);
    }
    expect(recordHash(input.record)).toBe(`sha256:${expected.record_hash_hex}`);
    expect(verifySignature(input.record)).toBe(expected.verifier_signature_ok);
    const verdict = verifyRecord(input.record, { now: input.record.timestamp });
    expect(verdict.ok).toBe(expected.validator_should_accept);
    if (!verdict.ok) expect(verdict.code).toBe('provenance_token');
  });

  test('upstream-derivation', () => {
    const { input, expected } = vector(
      '1.2.6/cases/upstream-derivation.json',
      z.object({
        input: z.object({ upstream_record: record, downstream_record: record }),
        expected: z.looseObject({ derived_provenance_token: z.string(), upstream_full_record_hash: z.string() }),
      }),
    );
    const upstream = recordHash(input.upstream_record);
    expect(upstream).toBe(expected.upstream_full_record_hash);
    expect(provenanceToken(upstream)).toBe(expected.derived_provenance_token);
    expect(verifyRecord(input.downstream_record, { now: input.downstream_record.timestamp }).ok).toBe(true);
  });
});

describe('attest-recall byte identity', () => {
  const folder = 'attest-recall/cases/byte-identity';
  const schema = z.object({
    input: z.object({
      attest: z.object({
        arguments: z.object({
          content: anything,
          ref: z.object({ kind: z.string(), target: z.string(), reason: z.string().optional() }).optional(),
        }),
      }),
      private_key_seed_base64url: z.string(),
      timestamp_ms: z.number(),
    }),
    expected: z.looseObject({ event_type: z.string(), record, record_hash: z.string() }),
  });
  const signedToday = ['annotation-identity', 'observation-identity', 'revision-identity'];

  test('has all 4 cases', () => expect(casesIn(folder).length).toBe(signedToday.length + 1));

  test.each(signedToday)('%s', (name) => {
    const { input, expected } = vector(`${folder}/${name}.json`, schema);
    const { content, ref } = input.attest.arguments;
    const target = ref === undefined ? {} : { [ref.kind]: ref.target };
    const reason = ref?.reason === undefined ? {} : { reason: ref.reason };
    const { context_id } = expected.record;
    const key = signerFromSeed(Buffer.from(input.private_key_seed_base64url, 'base64url'), { protection: 'none' });
    const signed = signRecord(
      {
        spec_version: 'atrib/1.0',
        content_id: contentId('mcp://atrib-emit', expected.event_type.split('/').at(-1) ?? ''),
        creator_key: key.publicKey,
        chain_root: genesisChainRoot(context_id),
        event_type: expected.event_type,
        context_id,
        timestamp: input.timestamp_ms,
        args_hash: hashOf(jcs({ ...content, ...target, ...reason })),
        ...target,
      },
      key,
    );
    expect(signed).toEqual(expected.record);
    expect(recordHash(signed)).toBe(expected.record_hash);
    expect(verifyRecord(signed, { now: signed.timestamp }).ok).toBe(true);
  });

  test('historical-pre-rename-record', () => {
    const { input, expected } = vector(
      `${folder}/historical-pre-rename-record.json`,
      z.object({
        input: z.object({ record }),
        expected: z.object({ record_hash: z.string(), signature_valid: z.literal(true) }),
      }),
    );
    expect(recordHash(input.record)).toBe(expected.record_hash);
    expect(verifyRecord(input.record, { now: input.record.timestamp }).ok).toBe(true);
  });
});

test('attest-recall frozen constants: URIs, entry bytes and content ids', () => {
  const { expected } = vector(
    'attest-recall/cases/frozen-constants/frozen-constants.json',
    z.object({
      expected: z.object({
        synthetic_server_url: z.string(),
        event_types: z.record(z.string(), z.object({ uri: z.string(), byte: z.string() })),
        content_ids: z.record(z.string(), z.string()),
      }),
    }),
  );
  const types = Object.values(expected.event_types);
  expect(types.length).toBe(6);
  for (const { uri, byte } of types) expect(eventTypeByte(uri)).toBe(Number(byte));
  const ids = Object.entries(expected.content_ids);
  expect(ids.length).toBe(3);
  for (const [name, id] of ids) expect(contentId(expected.synthetic_server_url, name)).toBe(id);
});

test('appendix A: signature, hash, entry, leaf and roots', () => {
  const expected = vector(
    'appendix-a.json',
    z.looseObject({
      seed_hex: z.string(),
      record,
      record_hash_hex: z.string(),
      log_entry_hex: z.string(),
      leaf_hash_hex: z.string(),
      single_leaf_root_hex: z.string(),
      two_leaf: z.looseObject({ leaf0_hex: z.string(), leaf1_hex: z.string(), root_hex: z.string() }),
    }),
  );
  expect(signRecord(expected.record, signer(expected.seed_hex))).toEqual(expected.record);
  const hash = recordHash(expected.record);
  expect(hash).toBe(`sha256:${expected.record_hash_hex}`);
  const entry = logEntry(expected.record, hash);
  expect(hex(entry)).toBe(expected.log_entry_hex);
  const leaf = leafHash(entry);
  expect(hex(leaf)).toBe(expected.leaf_hash_hex);
  const one = appendLeaf([], 0, leaf);
  expect(hex(rootOf(one))).toBe(expected.single_leaf_root_hex);
  const second = Buffer.from(expected.two_leaf.leaf1_hex, 'hex');
  expect(hex(rootOf(appendLeaf(one, 1, second)))).toBe(expected.two_leaf.root_hex);
  expect(hex(nodeHash(leaf, second))).toBe(expected.two_leaf.root_hex);
  expect(encodeBase64url(leaf)).toBe(Buffer.from(expected.leaf_hash_hex, 'hex').toString('base64url'));
});

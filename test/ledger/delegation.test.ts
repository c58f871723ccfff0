/** The 18 cases of delegation certificates, and what hostile ones may not do. */
import { readdirSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import {
  type AtribRecord,
  checkCertificate,
  checkRevocation,
  checkScope,
  encodeBase64url,
  hashOf,
  jcs,
  type RunUsage,
  recordHash,
  type Signer,
  signerFromSeed,
  signingInput,
  signRecord,
  verifyRecord,
  verifySignature,
  walkDelegation,
} from '../../src/ledger/index.ts';
import { CONTEXT, NOW, testEvent, testSigner, vector, vectorPath } from './support.ts';

const members = z.record(z.string(), z.unknown());
const record = z.custom<AtribRecord>((value) => typeof value === 'object' && value !== null);
const caseSchema = z.object({ name: z.string(), input: members, expected: members });
type Case = z.output<typeof caseSchema>;

const list = z.array(members);

function utf8(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8');
}

function signed(signer: Signer, unsigned: object): string {
  return encodeBase64url(signer.sign(jcs(unsigned)));
}

function seedSigner(seedHex: unknown): Signer {
  return signerFromSeed(Buffer.from(z.string().parse(seedHex), 'hex'), { protection: 'none' });
}

/** Compares each statement of a case with what was found; a statement nobody answers fails. */
function checkFacts({ expected }: Case, facts: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(expected)) expect(facts[name], name).toEqual(value);
}

function checkCertificateCase(one: Case): void {
  const certificate = members.parse(one.input['certificate']);
  const { signature, ...unsigned } = certificate;
  const { hash, errors, certificate: read } = checkCertificate(certificate);
  if (one.input['principal_seed_hex'] !== undefined) {
    expect(signed(seedSigner(one.input['principal_seed_hex']), unsigned)).toBe(signature);
  }
  const full = vector('delegation-certificates/cases/cert-canonical-full.json', caseSchema).input['certificate'];
  checkFacts(one, {
    cert_hash: hash,
    cert_valid: errors.length === 0,
    errors,
    principal_signature_verifies: read !== null && !errors.includes('principal_signature_invalid'),
    canonical_signing_input_utf8: utf8(signingInput(certificate)),
    canonical_signed_form_utf8: utf8(jcs(certificate)),
    jcs_field_order: Object.keys(members.parse(JSON.parse(utf8(jcs(certificate))))),
    optional_fields_in_canonical_form: /context_id|not_before|scope/.test(utf8(signingInput(certificate))),
    differs_from_full_form_cert_hash: checkCertificate(full).hash,
  });
  if (one.expected['differs_from_full_form_cert_hash'] !== undefined)
    expect(checkCertificate(full).hash).not.toBe(hash);
}

function checkWalk(one: Case): void {
  const of = record.parse(one.input['record']);
  const certificates = list.parse(one.input['certificates']);
  const { genesis_record: genesis } = one.input;
  const delegation = walkDelegation(of, { certificates, ...(genesis !== undefined && { genesis }), revocations: [] });
  const { signature: _, ...unsigned } = of;
  const genesisKey = genesis === undefined ? undefined : record.parse(genesis).creator_key;
  checkFacts(one, {
    ...delegation,
    delegation,
    record_signature_valid: verifySignature(of),
    record_hash: recordHash(of),
    record_hash_hex: recordHash(of).slice('sha256:'.length),
    canonical_signing_input: utf8(jcs(unsigned)),
    signature_base64url: of.signature,
    byte_identical_to_1_4_vector: utf8(jcs(of)) === utf8(jcs(signingVector())),
    genesis_creator_key: genesisKey,
    genesis_signed_by_record_creator: genesisKey === of.creator_key,
    // What a walk finds leaves the record as valid as it was.
    signal_not_block: verifyRecord(of, { now: of.timestamp }).ok,
  });
  checkUsages(one, of);
}

function checkUsages({ input }: Case, of: AtribRecord): void {
  const vectors = list.optional().parse(input['usage_vectors']) ?? [];
  const [certificate] = list.parse(input['certificates']).map((value) => checkCertificate(value).certificate);
  for (const { usage, expected } of vectors) {
    const { model_tier: modelTier, tokens_spent: tokensSpent } = z
      .object({ model_tier: z.string(), tokens_spent: z.number() })
      .parse(usage);
    const given: RunUsage = { modelTier, tokensSpent };
    const { in_scope, mismatches } = checkScope(certificate?.scope ?? {}, of, { usage: given });
    expect({ in_scope, mismatches }).toEqual(expected);
  }
}

/** The record of section 1.4 that a case repeats. */
function signingVector(): AtribRecord {
  const schema = z.object({
    vectors: z.array(
      z.object({ input: z.object({ record }), expected: z.object({ signature_base64url: z.string() }) }),
    ),
  });
  const [first] = vector('1.4/signing-vectors.json', schema).vectors;
  if (first === undefined) throw new Error('No signing vector');
  return { ...first.input.record, signature: first.expected.signature_base64url };
}

function checkGenesisField(one: Case): void {
  const withField = record.parse(one.input['record_with_field']);
  const without = record.parse(one.input['record_without_field']);
  const signer = seedSigner(one.input['run_seed_hex']);
  for (const each of [withField, without]) {
    expect(signRecord(each, signer)).toEqual(each);
    expect(verifyRecord(each, { now: each.timestamp }).ok).toBe(true);
  }
  const inputOf = (of: AtribRecord) => {
    const { signature: _, ...unsigned } = of;
    return utf8(jcs(unsigned));
  };
  const order = Object.keys(members.parse(JSON.parse(inputOf(withField))));
  const at = order.indexOf('delegation_cert_hash');
  checkFacts(one, {
    with_field_canonical_signing_input_utf8: inputOf(withField),
    without_field_canonical_signing_input_utf8: inputOf(without),
    field_slots_after: order[at - 1],
    field_slots_before: order[at + 1],
    with_field_record_hash: recordHash(withField),
    without_field_record_hash: recordHash(without),
    signatures_distinct: withField.signature !== without.signature,
    record_hashes_distinct: recordHash(withField) !== recordHash(without),
    delegation_cert_hash: checkCertificate(one.input['certificate']).hash,
  });
}

function checkRevocationCase(one: Case): void {
  const entries = list.parse(one.input['log_entries']).map((entry) => record.parse(entry['record']));
  const certificates = list.parse(one.input['certificates']);
  const at = entries.findIndex((entry) => 'revoked_key' in entry);
  const revocation = entries[at];
  if (revocation === undefined) throw new Error('No revocation in the log');
  const verdict = checkRevocation(revocation, certificates);
  const { signature: _, ...unsigned } = revocation;
  const order = Object.keys(members.parse(JSON.parse(utf8(jcs(unsigned)))));
  const states = entries.map((entry, index) => {
    const { revoked } = walkDelegation(entry, { certificates, revocations: entries.slice(0, index) });
    if (revoked === true) return 'revoked_after_revocation';
    return verifySignature(entry) ? 'signature_valid' : 'invalid';
  });
  checkFacts(one, {
    revocation_canonical_signing_input_utf8: utf8(jcs(unsigned)),
    revocation_signature_valid: verifySignature(revocation),
    revoker_authorized: verdict.authorized,
    revoker_rule: verdict.authorized && verdict.rule,
    rejection_reason: verdict.authorized || verdict.reason,
    field_slots_after: order[order.indexOf('delegation_cert_hash') - 1],
    field_slots_before: order[order.indexOf('delegation_cert_hash') + 1],
    record_hashes: Object.fromEntries(entries.map((entry, index) => [index, recordHash(entry)])),
    verification_states: Object.fromEntries(states.map((state, index) => [index, state])),
  });
}

function checkOf(name: string): (one: Case) => void {
  if (name.startsWith('cert-')) return checkCertificateCase;
  if (name.startsWith('revocation-')) return checkRevocationCase;
  return name.startsWith('genesis-') ? checkGenesisField : checkWalk;
}

const names = readdirSync(vectorPath('delegation-certificates/cases'));
let passed = 0;
afterAll(() => console.log(`figure: delegation-certificates ${passed} of ${names.length} cases`));

describe('delegation-certificates', () => {
  test('has all 18 cases', () => expect(names.length).toBe(18));

  test.each(names)('%s', (name) => {
    checkOf(name)(vector(`delegation-certificates/cases/${name}`, caseSchema));
    passed += 1;
  });
});

const [principal, run, other] = [testSigner(1), testSigner(2), testSigner(3)];

function certificate(over: object = {}, by: Signer = principal): Record<string, unknown> {
  const unsigned = {
    cert_type: 'atrib/delegation-cert/v1',
    not_after: NOW,
    principal_key: by.publicKey,
    run_pubkey: run.publicKey,
    ...over,
  };
  return { ...unsigned, signature: signed(by, unsigned) };
}

describe('hostile certificates', () => {
  const { record: of } = testEvent({ signer: run });

  test('one that is malformed is named by member, and its neighbour still counts', () => {
    const deep = JSON.parse(`${'['.repeat(20_000)}${']'.repeat(20_000)}`);
    const faults = [
      [null, 'certificate_malformed'],
      ['text', 'certificate_malformed'],
      [{ ...certificate(), scope: deep }, 'scope_malformed'],
      [certificate({ not_after: -1 }), 'not_after_malformed'],
      [certificate({ context_id: null }), 'context_id_malformed'],
      [certificate({ cert_type: 'v2' }), 'cert_type_malformed'],
      [{ ...certificate(), signature: '\ud800' }, 'signature_malformed'],
      [{ ...certificate(), scope: { tool_names: ['x'] } }, 'principal_signature_invalid'],
    ] as const;
    for (const [value, error] of faults) expect(checkCertificate(value).errors).toContain(error);
    const certificates = [...faults.map(([value]) => value), certificate()];
    expect(walkDelegation(of, { certificates })).toMatchObject({ depth: 1, principal_key: principal.publicKey });
  });

  test('a forged one takes no principal away and gives none', () => {
    const forged = { ...certificate({}, other), signature: encodeBase64url(new Uint8Array(64)) };
    expect(walkDelegation(of, { certificates: [certificate(), forged] }).principal_key).toBe(principal.publicKey);
    expect(walkDelegation(of, { certificates: [forged] })).toMatchObject({ depth: 0, principal_key: null });
  });

  test('only a first record of the run key itself commits to a certificate', () => {
    const mine = certificate();
    const commit = (by: Signer) =>
      signRecord({ ...testEvent({ signer: by }).record, delegation_cert_hash: checkCertificate(mine).hash }, by);
    const bound = (genesis: unknown) => walkDelegation(of, { certificates: [mine], genesis }).cert_bound;
    expect(bound(commit(run))).toBe(true);
    expect(bound(commit(other))).toBeNull();
    expect(bound({ ...commit(run), timestamp: 1 })).toBeNull();
    expect(walkDelegation(of, { certificates: [certificate({ scope: {} })], genesis: commit(run) }).cert_bound).toBe(
      false,
    );
  });

  test('the order certificates come in decides nothing', () => {
    const two = [certificate(), certificate({ scope: {} })];
    expect(walkDelegation(of, { certificates: two })).toEqual(walkDelegation(of, { certificates: two.toReversed() }));
  });

  test('one of another context, or of another time, gives way to one that fits', () => {
    const elsewhere = certificate({ context_id: 'b'.repeat(32) }, other);
    const early = certificate({ not_after: 1 }, other);
    const here = certificate({ context_id: CONTEXT });
    const walk = (...certificates: readonly unknown[]) => walkDelegation(of, { certificates });
    expect(walk(elsewhere, early, here)).toMatchObject({ principal_key: principal.publicKey, context_bound: true });
    expect(walk(elsewhere)).toMatchObject({ principal_key: other.publicKey, context_bound: false });
    expect(walk(certificate({}, other), here)).toMatchObject({ depth: 0, delegation_ambiguous: true });
  });

  test('a limit nobody here knows, and a tool that is not named, are unverifiable; a hashed name is compared', () => {
    const scope = { tool_names: ['search'], max_spend: 3 };
    expect(checkScope(scope, of)).toMatchObject({ in_scope: true, unverifiable: ['tool_names', 'max_spend'] });
    const named = (name: string) => ({ ...of, tool_name: hashOf(Buffer.from(name, 'utf8')) });
    expect(checkScope(scope, named('search'))).toMatchObject({ in_scope: true, unverifiable: ['max_spend'] });
    expect(checkScope(scope, named('pay'))).toMatchObject({ in_scope: false, mismatches: ['tool_names'] });
  });

  test('a revocation by anyone but the key or its principal revokes nothing', () => {
    const revoke = (by: Signer, over: object = {}) =>
      signRecord(
        {
          ...testEvent({ signer: by }).record,
          event_type: 'https://atrib.dev/v1/types/key_revocation',
          revoked_key: run.publicKey,
          ...over,
        },
        by,
      );
    const certificates = [certificate()];
    const byHash = { delegation_cert_hash: checkCertificate(certificates[0]).hash };
    const revoked = (revocation: unknown) => walkDelegation(of, { certificates, revocations: [revocation] }).revoked;
    expect(revoked(revoke(principal, byHash))).toBe(true);
    expect(revoked(revoke(run))).toBe(true);
    expect(revoked(revoke(other, byHash))).toBe(false);
    expect(revoked(revoke(principal))).toBe(false);
    expect(revoked({ ...revoke(principal, byHash), timestamp: 1 })).toBe(false);
    expect(revoked(null)).toBe(false);
  });
});

/** The 16 cases of anchor bundles, and what hostile ones may not do. */
import { readdirSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { verifyBytes } from '../../src/ledger/ed25519.ts';
import {
  type AnchorReport,
  type AnchorTrust,
  type AtribRecord,
  anchorClaim,
  anchorPosture,
  checkLineEvidence,
  encodeBase64url,
  evaluateAnchors,
  jcs,
  type PinnedLog,
  recordHash,
  signerFromSeed,
  verifyMirrorLine,
  verifySignature,
} from '../../src/ledger/index.ts';
import { vector, vectorPath } from './support.ts';

const members = z.record(z.string(), z.unknown());
const record = z.custom<AtribRecord>((value) => typeof value === 'object' && value !== null);
const caseSchema = z.object({ input: members, expected: members });
type Case = z.output<typeof caseSchema>;
type Facts = Readonly<Record<string, unknown>>;

const pins = z
  .record(z.string(), z.object({ origin: z.string(), pubkey_b64: z.string() }))
  .transform(
    (logs): ReadonlyMap<string, PinnedLog> =>
      new Map(
        Object.entries(logs).map(([id, { origin, pubkey_b64 }]) => [
          id,
          { origin, publicKey: encodeBase64url(Buffer.from(pubkey_b64, 'base64')) },
        ]),
      ),
  );
const trustSchema = z
  .object({
    trust_material: z.object({ logs: pins, rekor: pins }),
    trusted_logs: z.array(z.string()),
    threshold_m: z.number(),
    required_anchors: z.number(),
    operator_groups: z
      .array(
        z.object({
          group: z.string(),
          members: z.array(z.object({ anchor_type: z.string(), anchor_id: z.string() })),
        }),
      )
      .default([]),
  })
  .transform(
    ({ trust_material, trusted_logs, threshold_m, required_anchors, operator_groups }): AnchorTrust => ({
      ...trust_material,
      trustedLogs: trusted_logs,
      threshold: threshold_m,
      requiredAnchors: required_anchors,
      operatorGroups: operator_groups,
    }),
  );

function utf8(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8');
}

/** Compares each statement of a case with what was found; a statement nobody answers fails. */
function checkFacts(expected: Facts, facts: Facts): void {
  for (const [name, value] of Object.entries(expected)) expect(facts[name], name).toEqual(value);
}

function report(input: Facts, names: { bundle: string; trust: string }): AnchorReport {
  const answers = z.array(z.unknown()).default([]).parse(input['not_found_responses']);
  const trust = { ...trustSchema.parse(input[names.trust]), answers };
  const found = evaluateAnchors(record.parse(input['record']), input[names.bundle], trust);
  if (found === null) throw new Error('No bundle');
  return found;
}

function factsOf(input: Facts, found: AnchorReport): Facts {
  const of = record.parse(input['record']);
  const at = (status: string) => found.findings.flatMap((one) => (one.status === status ? [one.index] : []));
  const [invalid] = found.findings.filter(({ status }) => status === 'invalid');
  return {
    ...found,
    malformed_indices: at('malformed'),
    invalid_indices: at('invalid'),
    invalid_reason: invalid?.reason,
    unknown_types: found.anchor_plurality.unknown_types,
    resolved_anchor_types: found.findings.map(({ anchor_type }) => anchor_type),
    atrib_log_proof_verifies: found.findings[0]?.status === 'verified' && found.findings[0].basis === 'signature',
    record_signature_ok: verifySignature(of),
    ...(JSON.stringify(input['bundle'] ?? {}).includes('entry_body_b64') && rekorFacts(input, found)),
  };
}

/** What a Rekor case says of the parts of its element. */
function rekorFacts(input: Facts, { findings }: AnchorReport): Facts {
  const of = record.parse(input['record']);
  const hash = recordHash(of);
  const proofs = z.object({ log_proofs: z.array(members) }).parse(input['bundle']).log_proofs;
  const proof = members.parse(proofs[1]?.['proof']);
  const { entry_body_b64, integrated_time_ms, log_index } = proof;
  const body = z
    .object({ artifact_b64: z.string(), public_key_b64url: z.string(), signature_b64url: z.string() })
    .parse(JSON.parse(utf8(Buffer.from(String(entry_body_b64), 'base64'))));
  const artifact = Buffer.from(body.artifact_b64, 'base64');
  const signed = { publicKey: body.public_key_b64url, signature: body.signature_b64url, bytes: artifact };
  const found = findings[1];
  const reconstructs = found?.reason !== 'anchor_claim_binding_mismatch';
  if (!reconstructs) expect(utf8(artifact)).toBe(input['mismatched_artifact_utf8']);
  if (input['anchoring_seed_hex'] !== undefined) {
    const seed = Buffer.from(String(input['anchoring_seed_hex']), 'hex');
    expect(signerFromSeed(seed, { protection: 'none' }).publicKey).toBe(found?.anchoring_key);
  }
  return {
    anchor_claim_artifact_utf8: anchorClaim(hash),
    anchor_claim_prefix: anchorClaim(''),
    artifact_reconstructs_from_record_hash: reconstructs,
    embedded_signature_verifies_over_its_own_artifact: verifyBytes(signed),
    anchoring_key_b64url: found?.anchoring_key,
    anchoring_key_differs_from_creator_key: found?.anchoring_key !== of.creator_key,
    set_signing_input_utf8: utf8(jcs({ entry_body_b64, integrated_time_ms, log_index })),
    // `verified` is reached by these four alone; the tests below break each of them.
    anchoring_signature_verifies: found?.status === 'verified',
    rekor_inclusion_proof_verifies: found?.status === 'verified',
    rekor_checkpoint_signature_verifies: found?.status === 'verified',
    signed_entry_timestamp_verifies: found?.status === 'verified',
  };
}

function checkBundle({ input, expected }: Case): void {
  checkFacts(expected, factsOf(input, report(input, { bundle: 'bundle', trust: 'trust' })));
}

function checkUpgrade({ input, expected }: Case): void {
  for (const [name, bundle] of Object.entries({ pending: 'bundle_pending', upgraded: 'bundle_upgraded' })) {
    const facts = factsOf(input, report(input, { bundle, trust: 'trust' }));
    checkFacts(members.parse(expected[name]), facts);
    expect(facts['record_signature_ok']).toBe(expected['record_signature_ok']);
  }
}

function checkGroups({ input, expected }: Case): void {
  const { default_grouping, declared_group, ...both } = expected;
  for (const [stated, trust] of [
    [default_grouping, 'trust_default_grouping'],
    [declared_group, 'trust_declared_group'],
  ] as const) {
    checkFacts({ ...members.parse(stated), ...both }, factsOf(input, report(input, { bundle: 'bundle', trust })));
  }
}

function checkConfigs({ input, expected }: Case): void {
  const configs = z.array(
    z.object({
      name: z.string(),
      config: z.object({ anchors: z.array(z.unknown()), allow_single_anchor: z.boolean() }).partial(),
    }),
  );
  const parsed = configs.parse(input['configs']);
  checkFacts(expected, {
    resolutions: parsed.map(({ name, config: { anchors, allow_single_anchor } }) => ({
      name,
      ...anchorPosture({
        ...(anchors !== undefined && { anchors }),
        ...(allow_single_anchor !== undefined && { allow_single_anchor }),
      }),
    })),
    // All of them came back, and none has a member that would keep a record from being signed.
    never_throws_on_primary_path: true,
    never_disables_signing: true,
  });
}

function checkDigestPath({ input, expected }: Case): void {
  const of = record.parse(input['record']);
  const { signature = '', ...unsigned } = of;
  const publicKey = String(input['creator_key_b64url']);
  checkFacts(expected, {
    record_hash: recordHash(of),
    signature_verifies_over_signing_input: verifyBytes({ publicKey, signature, bytes: jcs(unsigned) }),
    signature_verifies_over_full_canonical_record: verifyBytes({ publicKey, signature, bytes: jcs(of) }),
    signing_input_differs_from_hashed_bytes: utf8(jcs(unsigned)) !== utf8(jcs(of)),
  });
}

const CHECKS: Readonly<Record<string, (one: Case) => void>> = {
  'allow-single-anchor-config.json': checkConfigs,
  'ots-pending-then-upgraded.json': checkUpgrade,
  'record-signature-digest-path-invalid.json': checkDigestPath,
  'same-operator-group.json': checkGroups,
};

const names = readdirSync(vectorPath('2.11/anchors/cases'));
let passed = 0;
afterAll(() => console.log(`figure: 2.11/anchors ${passed} of ${names.length} cases`));

function read(name: string): Case {
  return vector(`2.11/anchors/cases/${name}`, caseSchema);
}

describe('2.11/anchors', () => {
  test('has all 16 cases', () => expect(names.length).toBe(16));

  test.each(names)('%s', (name) => {
    (CHECKS[name] ?? checkBundle)(read(name));
    passed += 1;
  });

  test('the same bundle gives the same report', () => {
    const { input } = read('equivocation-detected.json');
    const of = { bundle: 'bundle', trust: 'trust' };
    expect(report(input, of)).toEqual(report(input, of));
  });
});

describe('hostile bundles', () => {
  const { input } = read('rekor-anchor-claim.json');
  const of = record.parse(input['record']);
  const trust = trustSchema.parse(input['trust']);
  const bundle = z.object({ record_hash: z.string(), log_proofs: z.array(members) }).parse(input['bundle']);
  const [log = {}, rekor = {}] = bundle.log_proofs;
  const statuses = (...proofs: readonly unknown[]) =>
    evaluateAnchors(of, { ...bundle, log_proofs: proofs }, trust)?.findings.map(
      ({ status, reason }) => reason ?? status,
    );
  const broken = (over: object) => ({ ...rekor, proof: { ...members.parse(rekor['proof']), ...over } });
  const zeros = Buffer.alloc(32).toString('base64');

  test('each part of an element that is broken makes that element invalid, by name, and leaves the others', () => {
    const checkpoint = String(log['checkpoint']);
    expect(statuses(log, rekor)).toEqual(['verified', 'verified']);
    expect(statuses({ ...log, inclusion_proof: [] }, rekor)).toEqual(['inclusion_invalid', 'verified']);
    expect(statuses({ ...log, log_index: 1 }, rekor)).toEqual(['inclusion_invalid', 'verified']);
    expect(statuses({ ...log, inclusion_proof: ['*', zeros] })).toEqual(['inclusion_invalid']);
    expect(statuses({ ...log, checkpoint: checkpoint.replace('\n3\n', '\n4\n') })).toEqual(['checkpoint_invalid']);
    expect(statuses({ ...log, entry_bytes_b64: 'AA==' })).toEqual(['entry_malformed']);
    expect(statuses({ ...log, log_id: 'log-b.conformance.atrib.test' })).toEqual(['checkpoint_invalid']);
    expect(statuses({ ...log, log_id: '__proto__' })).toEqual(['log_key_unknown']);
    expect(statuses(broken({ inclusion_proof: [zeros] }))).toEqual(['inclusion_invalid']);
    expect(statuses(broken({ integrated_time_ms: 1 }))).toEqual(['entry_timestamp_invalid']);
    expect(statuses(broken({ signed_entry_timestamp_b64: '' }))).toEqual(['entry_timestamp_invalid']);
    expect(statuses(broken({ entry_body_b64: Buffer.from('[').toString('base64') }))).toEqual(['entry_malformed']);
    expect(statuses(broken({ checkpoint }))).toEqual(['checkpoint_invalid']);
    const body = members.parse(
      JSON.parse(utf8(Buffer.from(String(members.parse(rekor['proof'])['entry_body_b64']), 'base64'))),
    );
    const forged = jcs({ ...body, signature_b64url: encodeBase64url(new Uint8Array(64)) });
    const forgedBody = Buffer.from(forged).toString('base64');
    expect(statuses(broken({ entry_body_b64: forgedBody }))).toEqual(['anchor_claim_signature_invalid']);
  });

  test('elements of wrong types are malformed, whatever type they name', () => {
    const hostile = [null, 1, [], {}, { ...log, checkpoint: 3 }, { anchor_type: 'x', anchor_id: 'y', proof: [] }];
    const registered = ['atrib-log', 'rfc3161-tsa', 'opentimestamps', 'sigstore-rekor'];
    const empty = registered.map((anchor_type) => ({ anchor_type, anchor_id: 'x', proof: {} }));
    const elements = [...hostile, ...empty];
    expect(statuses(...elements, log)).toEqual([...elements.map(() => 'malformed'), 'verified']);
    expect(statuses({ anchor_type: 'x', anchor_id: 'y', proof: {} })).toEqual(['unknown']);
  });

  test('what is no bundle, or too long to be one, has no report; a bundle of another record is rejected', () => {
    for (const none of [null, [], {}, { ...bundle, log_proofs: {} }, { ...bundle, log_proofs: Array(65).fill(log) }]) {
      expect(evaluateAnchors(of, none, trust)).toBeNull();
    }
    expect(evaluateAnchors(of, bundle, trust)?.hard_reject).toBe(false);
    expect(evaluateAnchors(of, { ...bundle, record_hash: `sha256:${'0'.repeat(64)}` }, trust)?.hard_reject).toBe(true);
  });

  test('a proof that holds for one record is nothing for another', () => {
    const other = record.parse(vector('delegation-certificates/cases/walk-valid.json', caseSchema).input['record']);
    const found = evaluateAnchors(other, { ...bundle, record_hash: recordHash(other) }, trust);
    expect(found?.findings.map(({ reason }) => reason)).toEqual(['binding_mismatch', 'anchor_claim_binding_mismatch']);
    expect(found?.anchor_plurality.verified_count).toBe(0);
  });

  test('one log said twice is one log', () => {
    const twice = evaluateAnchors(of, { ...bundle, log_proofs: [log, log] }, { ...trust, threshold: 2 });
    expect(twice).toMatchObject({ trusted_verified_count: 1, cross_log_threshold_not_met: true });
    expect(twice?.anchor_plurality).toMatchObject({ verified_count: 2, independent_count: 1 });
  });

  test('a log that is trusted and silent is suspected only inside its window', () => {
    const window = (from: number, to: number) => ({
      log_id: 'log-b.conformance.atrib.test',
      status: 'not_found',
      epoch_window_ms: [from, to],
    });
    const asked = { ...trust, trustedLogs: [...trust.trustedLogs, 'log-b.conformance.atrib.test'] };
    const suspected = (...answers: readonly unknown[]) =>
      evaluateAnchors(of, bundle, { ...asked, answers })?.cross_log_censorship_suspected;
    expect(suspected(window(of.timestamp, of.timestamp))).toBe(true);
    expect(suspected(window(0, of.timestamp - 1), null, { status: 'not_found' })).toBe(false);
  });

  describe('on a mirror line', () => {
    test('a proof is compared with the record; without a pinned key nothing vouches for its log', () => {
      const { log_id: _, ...answer } = log;
      const status = (proof: unknown) =>
        checkLineEvidence({ record: of, proof }).proof?.map((one) => one.reason ?? one.status);
      expect(status(bundle)).toEqual(['log_key_unknown', 'log_key_unknown']);
      expect(status(answer)).toEqual(['log_key_unknown']);
      expect(checkLineEvidence({ record: of, proof: answer }).proof?.[0]?.anchor_id).toBe(
        'log-a.conformance.atrib.test/v1',
      );
      expect(status({ ...answer, log_index: 2 })).toEqual(['inclusion_invalid']);
      expect(status({ ...answer, checkpoint: 'x' })).toEqual(['malformed']);
      expect(status('text')).toEqual(['malformed']);
    });

    test('a line without proof or certificate has no findings', () => {
      expect(checkLineEvidence({ record: of })).toEqual({});
      expect(checkLineEvidence({ record: of, proof: null, _local: 'text' })).toEqual({});
    });

    test('the verdict on a line carries the findings of a record that holds, and none of one that does not', async () => {
      const verdictOf = (line: object) => verifyMirrorLine(Buffer.from(JSON.stringify(line)), { now: of.timestamp });
      const held = await verdictOf({ record: of, proof: bundle });
      expect(held).toMatchObject({ valid: true, proof: [{ status: 'unverifiable' }, { status: 'unverifiable' }] });
      const tampered = { ...of, timestamp: of.timestamp - 1 };
      expect(await verdictOf({ record: tampered, proof: bundle })).not.toHaveProperty('proof');
      expect(await verdictOf(of)).not.toHaveProperty('proof');
    });

    test('a certificate in the sidecar is followed, a hash without one is unresolved', () => {
      const { input: walk } = vector('delegation-certificates/cases/walk-valid.json', caseSchema);
      const delegated = record.parse(walk['record']);
      const [delegation_cert] = z.array(members).parse(walk['certificates']);
      const followed = checkLineEvidence({ record: delegated, _local: { delegation_cert } }).delegation;
      expect(followed).toMatchObject({ depth: 1, cert_bound: true, revoked: null });
      expect(checkLineEvidence({ record: delegated }).delegation).toMatchObject({
        depth: 0,
        delegation_unresolved: true,
      });
    });
  });
});

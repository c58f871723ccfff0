/** Delegation certificates: a principal's key vouches for the key of one run (atrib's specification 1.11). */
import * as z from 'zod';
import { isContextId } from '../context.ts';
import { isPublicKey, isSignature, verifyBytes } from '../ed25519.ts';
import { hashOf } from '../hash.ts';
import { jcs } from '../jcs.ts';
import type { Hash } from '../types.ts';

const names = z.array(z.string());
const milliseconds = z.int().nonnegative();
const key = z.custom<string>(isPublicKey);

const scope = z.looseObject({
  tool_names: names.optional(),
  event_types: names.optional(),
  cost_policy: z
    .looseObject({ model_tiers: names.optional(), max_tokens: z.number().nonnegative().optional() })
    .optional(),
});
/** What the run may do. Absent members allow everything; unknown ones are limits that nobody here can judge. */
export type DelegationScope = z.output<typeof scope>;

/** Absent members are left out of the signed bytes, never `null`; unknown ones are signed as they are. */
const certificate = z.looseObject({
  cert_type: z.literal('atrib/delegation-cert/v1'),
  /** Session the certificate is for; any when absent. */
  context_id: z.custom<string>(isContextId).optional(),
  not_before: milliseconds.default(0),
  not_after: milliseconds,
  principal_key: key,
  run_pubkey: key,
  scope: scope.optional(),
  signature: z.custom<string>(isSignature),
});
export type DelegationCertificate = z.output<typeof certificate>;

export interface CertificateVerdict {
  /** SHA-256 of the JCS of all members, as records commit to it; `null` for what has no canonical form. */
  readonly hash: Hash | null;
  /** The members as read, whether or not they are vouched for; `null` when one is malformed. */
  readonly certificate: DelegationCertificate | null;
  /** `<member>_malformed`, `certificate_malformed`, `self_certificate`, `principal_signature_invalid`; none when valid. */
  readonly errors: readonly string[];
}

/** What a certificate is worth by itself. One that is worth nothing takes nothing from the records of its run key. */
export function checkCertificate(value: unknown): CertificateVerdict {
  const hash = hashOfJson(value);
  const read = certificate.safeParse(value);
  if (hash === null || !read.success) {
    const members = read.error?.issues.flatMap(({ path: [member] }) => (member === undefined ? [] : [String(member)]));
    const errors = [...new Set(members)].map((member) => `${member}_malformed`);
    return { hash, certificate: null, errors: errors.length === 0 ? ['certificate_malformed'] : errors };
  }
  const { principal_key, run_pubkey, signature } = read.data;
  const errors = [
    ...(principal_key === run_pubkey ? ['self_certificate'] : []),
    ...(verifyBytes({ publicKey: principal_key, signature, bytes: signingInput(value) })
      ? []
      : ['principal_signature_invalid']),
  ];
  return { hash, certificate: read.data, errors };
}

/** The bytes the principal signs: JCS of the members as they are, without `signature`. */
export function signingInput(value: unknown): Uint8Array {
  const { signature: _, ...signed } = z.record(z.string(), z.unknown()).parse(value);
  return jcs(signed);
}

function hashOfJson(value: unknown): Hash | null {
  try {
    return hashOf(jcs(value));
  } catch {
    return null;
  }
}

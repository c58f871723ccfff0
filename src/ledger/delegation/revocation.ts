/** Who may revoke a key by a record of type `key_revocation` (atrib's specification 1.9.2). */
import { KEY_REVOCATION } from '../event-type.ts';
import { verifyRecord } from '../record.ts';
import { type CertificateVerdict, checkCertificate } from './certificate.ts';

export type RevocationVerdict =
  | {
      readonly authorized: true;
      readonly key: string;
      readonly rule: 'revoked_key_itself' | 'principal_via_delegation_certificate';
    }
  | {
      readonly authorized: false;
      readonly reason:
        | 'not_a_revocation'
        | 'record_invalid'
        | 'certificate_unresolved'
        | 'certificate_invalid'
        | 'certificate_does_not_cover_revoked_key'
        | 'not_signed_by_principal';
    };

/**
 * Whether the record revokes a key: one of its own, or one that its signer is the principal of by the certificate it
 * commits to. A key that others keep for emergencies is not among what is read here.
 *
 * @param certificates as they were found; the record says by hash which it means.
 */
export function checkRevocation(record: unknown, certificates: readonly unknown[]): RevocationVerdict {
  const verdict = verifyRecord(record, { now: Number.POSITIVE_INFINITY });
  if (!verdict.ok) return { authorized: false, reason: 'record_invalid' };
  const { event_type, creator_key, revoked_key: key, delegation_cert_hash } = verdict.record;
  if (event_type !== KEY_REVOCATION || typeof key !== 'string')
    return { authorized: false, reason: 'not_a_revocation' };
  if (creator_key === key) return { authorized: true, key, rule: 'revoked_key_itself' };
  const meant = certificates.map(checkCertificate).find(({ hash }) => hash !== null && hash === delegation_cert_hash);
  const reason = meant === undefined ? 'certificate_unresolved' : objection(meant, { principal: creator_key, key });
  if (reason !== null) return { authorized: false, reason };
  return { authorized: true, key, rule: 'principal_via_delegation_certificate' };
}

function objection(
  { certificate, errors }: CertificateVerdict,
  { principal, key }: { readonly principal: string; readonly key: string },
) {
  if (certificate === null || errors.length > 0) return 'certificate_invalid';
  if (certificate.run_pubkey !== key) return 'certificate_does_not_cover_revoked_key';
  return certificate.principal_key === principal ? null : 'not_signed_by_principal';
}

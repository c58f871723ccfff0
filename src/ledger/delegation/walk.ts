/**
 * From the key that signed a record to the principal it ran for (atrib's specification 1.11): one hop, by certificates
 * that came with the record. Everything found here is a signal; none of it changes whether the record is valid.
 */
import { genesisChainRoot } from '../genesis.ts';
import { verifyRecord } from '../record.ts';
import type { AtribRecord, Hash } from '../types.ts';
import { type CertificateVerdict, checkCertificate, type DelegationCertificate } from './certificate.ts';
import { checkRevocation } from './revocation.ts';
import { checkScope, type RunUsage, type ScopeCheck } from './scope.ts';

/** A mirror line brings certificates alone; the rest is known to who reads a log, and to atrib's vectors. */
export interface WalkOptions {
  /** As they were found: malformed, forged and foreign ones among them. */
  readonly certificates: readonly unknown[];
  /** First record of the record's context; @default the record, when it is that itself. */
  readonly genesis?: unknown;
  /** Records of type `key_revocation` that a log has before the record; absent when nobody knows. */
  readonly revocations?: readonly unknown[];
  readonly usage?: RunUsage;
}

export interface Delegation {
  /** 1: the record was signed for `principal_key`; 0: for its signer alone. */
  readonly depth: 0 | 1;
  readonly principal_key: string | null;
  readonly cert_hash: Hash | null;
  readonly cert_valid: boolean | null;
  readonly in_window: boolean | null;
  /** By what clock: the record's own, which nobody vouches for. */
  readonly time_basis: 'record_timestamp_claim' | null;
  readonly time_trusted: false | null;
  /** The certificate is for the record's context; `null` when it is for any. */
  readonly context_bound: boolean | null;
  /** The run key's first record commits to this certificate; `null` when it has none that commits to one. */
  readonly cert_bound: boolean | null;
  readonly scope_check: ScopeCheck | null;
  /** `null` when no log was asked. */
  readonly revoked: boolean | null;
  readonly errors: readonly string[];
  /** The first record commits to a certificate, and none that is here covers the key. */
  readonly delegation_unresolved?: true;
  /** Certificates of several principals cover the key, so it stands for none of them. */
  readonly delegation_ambiguous?: true;
  readonly candidate_count?: number;
}

const NO_DELEGATION: Delegation = {
  depth: 0,
  principal_key: null,
  cert_hash: null,
  cert_valid: null,
  in_window: null,
  time_basis: null,
  time_trusted: null,
  context_bound: null,
  cert_bound: null,
  scope_check: null,
  revoked: null,
  errors: [],
};

interface Candidate extends CertificateVerdict {
  readonly hash: Hash;
  readonly certificate: DelegationCertificate;
}

/** @param record whose form and signature hold. */
export function walkDelegation(record: AtribRecord, options: WalkOptions): Delegation {
  const committed = commitmentOf(record, options.genesis ?? record);
  const read = options.certificates.map(checkCertificate).filter(isReadable);
  const covering = read.filter(({ certificate }) => certificate.run_pubkey === record.creator_key);
  const valid = covering.filter(isValid);
  if (valid.length === 0) return withoutPrincipal(covering, committed);
  const fitting = valid.filter(({ certificate }) => isFor(certificate, record));
  const candidates = fitting.length > 0 ? fitting : valid;
  if (new Set(candidates.map(({ certificate }) => certificate.principal_key)).size > 1) {
    return { ...NO_DELEGATION, delegation_ambiguous: true, candidate_count: candidates.length };
  }
  const chosen = preferred(candidates, committed);
  if (chosen === undefined) return NO_DELEGATION;
  const { hash, certificate } = chosen;
  // A principal that is itself a run key would make two hops. Anyone can make it look so and thereby take a principal
  // away, never give one.
  if (read.some((one) => isValid(one) && one.certificate.run_pubkey === certificate.principal_key)) {
    return { ...NO_DELEGATION, cert_hash: hash, cert_valid: false, errors: ['delegation_depth_exceeded'] };
  }
  const { scope, context_id } = certificate;
  return {
    depth: 1,
    principal_key: certificate.principal_key,
    cert_hash: hash,
    cert_valid: true,
    in_window: isInWindow(certificate, record),
    time_basis: 'record_timestamp_claim',
    time_trusted: false,
    context_bound: context_id === undefined ? null : context_id === record.context_id,
    cert_bound: committed === null ? null : committed === hash,
    scope_check: scope === undefined ? null : checkScope(scope, record, options),
    revoked: isRevoked(record, options),
    errors: [],
  };
}

/** The certificate that the signer's own first record of the context commits to. */
function commitmentOf(record: AtribRecord, genesis: unknown): unknown {
  const verdict = verifyRecord(genesis, { now: Number.POSITIVE_INFINITY });
  if (!verdict.ok) return null;
  const { context_id, chain_root, creator_key, delegation_cert_hash } = verdict.record;
  const isOwn = context_id === record.context_id && creator_key === record.creator_key;
  return isOwn && chain_root === genesisChainRoot(context_id) ? (delegation_cert_hash ?? null) : null;
}

function withoutPrincipal(covering: readonly Candidate[], committed: unknown): Delegation {
  const rejected = preferred(covering, committed);
  if (rejected !== undefined) {
    return { ...NO_DELEGATION, cert_hash: rejected.hash, cert_valid: false, errors: rejected.errors };
  }
  return committed === null ? NO_DELEGATION : { ...NO_DELEGATION, delegation_unresolved: true };
}

/** The one committed to, else by hash, so that the order they come in decides nothing. */
function preferred(candidates: readonly Candidate[], committed: unknown): Candidate | undefined {
  const byHash = candidates.toSorted((a, b) => (a.hash < b.hash ? -1 : 1));
  return byHash.find(({ hash }) => hash === committed) ?? byHash[0];
}

function isReadable(verdict: CertificateVerdict): verdict is Candidate {
  return verdict.certificate !== null && verdict.hash !== null;
}

function isValid({ errors }: CertificateVerdict): boolean {
  return errors.length === 0;
}

function isFor(certificate: DelegationCertificate, record: AtribRecord): boolean {
  const { context_id } = certificate;
  return isInWindow(certificate, record) && (context_id === undefined || context_id === record.context_id);
}

function isInWindow({ not_before, not_after }: DelegationCertificate, { timestamp }: AtribRecord): boolean {
  return not_before <= timestamp && timestamp <= not_after;
}

function isRevoked(record: AtribRecord, { revocations, certificates }: WalkOptions): boolean | null {
  if (revocations === undefined) return null;
  return revocations.some((revocation) => {
    const verdict = checkRevocation(revocation, certificates);
    return verdict.authorized && verdict.key === record.creator_key;
  });
}

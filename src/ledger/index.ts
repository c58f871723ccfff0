/**
 * The ledger: atrib/1.0 records as Waymark's audit log. It owns the canonical encoding, signatures, event lines, the
 * tree and checkpoint of each writer, private keys, enrolment, and what this machine remembers of a repository. It
 * never touches the repository itself: it gives bytes and paths to the store and judges what the store read.
 */
export {
  type AnchorPlurality,
  type AnchorReport,
  type AnchorTrust,
  evaluateAnchors,
} from './anchors/evaluate.ts';
export type { AnchorFinding, AnchorStatus } from './anchors/finding.ts';
export type { PinnedLog } from './anchors/log-inclusion.ts';
export { type AnchorConfig, type AnchorPosture, anchorPosture } from './anchors/posture.ts';
export { anchorClaim } from './anchors/rekor.ts';
export { type CarryOptions, carryAttribution } from './attribution/carry.ts';
export {
  type Accepted,
  type Declaration,
  declarationOf,
  extensionNameFault,
  readSettings,
} from './attribution/declaration.ts';
export {
  decodeToken,
  encodeToken,
  type InboundToken,
  inboundToken,
  type PropagationToken,
} from './attribution/propagation-token.ts';
export {
  checkReceipt,
  LOG_SUBMISSIONS,
  type LogSubmission,
  type ReceiptFacts,
  type ReceiptVerdict,
  receiptMeta,
  withReceipt,
} from './attribution/receipt.ts';
export { EXTENSION, type RequestMeta, readRequestMeta } from './attribution/request-meta.ts';
export { decodeBase64url, encodeBase64url } from './base64url.ts';
export {
  type ChainLayer,
  type ChainSources,
  genesisChainRoot,
  mirrorTail,
  resolveChainRoot,
} from './chain.ts';
export {
  type Checkpoint,
  type CheckpointVerdict,
  checkpointOrigin,
  parseCheckpoint,
  renderCheckpoint,
} from './checkpoint.ts';
export {
  type CheckpointExport,
  type ExportedCheckpoint,
  MAX_EXPORT_BYTES,
  parseCheckpointExport,
  type ReadExport,
} from './checkpoint-export.ts';
export { contentId, contentIdOf, normaliseServerUrl } from './content-id.ts';
export {
  type ContextSources,
  isContextId,
  type ResolvedContext,
  randomContextId,
  resolveContext,
  resolveContextId,
} from './context.ts';
export { type CreatorGraph, type CreatorGraphOptions, creatorGraph } from './creator-graph.ts';
export { type DeclaredLoss, isDeclaredLoss, type MissingEnd } from './declared-loss.ts';
export { type CertificateVerdict, checkCertificate, signingInput } from './delegation/certificate.ts';
export { checkRevocation, type RevocationVerdict } from './delegation/revocation.ts';
export { checkScope, type RunUsage, type ScopeCheck } from './delegation/scope.ts';
export { type Delegation, type WalkOptions, walkDelegation } from './delegation/walk.ts';
export { matchesDigest } from './digest.ts';
export { isPublicKey, signerFromSeed } from './ed25519.ts';
export { type DeriveEdgesOptions, deriveEdges } from './edges.ts';
export { applyEvent } from './enrolment.ts';
export { logEntry } from './entry.ts';
export { type BuildEventOptions, buildEvent } from './event.ts';
export { eventTypeByte, eventTypeOf, isEventType } from './event-type.ts';
export { provenanceToken } from './genesis.ts';
export { EDGE_TYPES, type Edge, type EdgeType, type GapNode, type GraphRecord } from './graph.ts';
export { hashOf, isHash, sha256 } from './hash.ts';
export { jcs } from './jcs.ts';
export { KeyError, type KeyErrorCode } from './keys/key-error.ts';
export {
  type CreateKeyOptions,
  type KeyListing,
  type KeyStore,
  openKeyStore,
  type UnlockResult,
} from './keys/key-store.ts';
export type { KeyIdentity, KeyKind, StoredKey } from './keys/stored-key.ts';
export { checkLineEvidence, type EvidenceLine, type LineEvidence } from './line-evidence.ts';
export { LINK_KINDS, type Link, type LinkKind, leadsTo, linksOf, statedLog } from './links.ts';
export { type KnownState, type LogFacts, type LogFault, type LogFile, logFaults } from './log-faults.ts';
export { appendLeaf, emptyRoot, leafHash, nodeHash, rootOf } from './merkle.ts';
export { MAX_MIRROR_LINE, type MirrorLine, type MirrorLineFault, readMirrorLine } from './mirror-line.ts';
export { type EventOrder, type LinkedEvent, type OrderProblem, orderEvents } from './order.ts';
export {
  checkPin,
  comparePin,
  isOnlyClone,
  isPinned,
  type Pin,
  PinError,
  type PinVerdict,
  pinnedAt,
  pinnedBranch,
  replacePin,
} from './pins.ts';
export {
  consistencyProof,
  type Inclusion,
  inclusionProof,
  type Proof,
  type Tree,
  verifyConsistency,
  verifyInclusion,
} from './proofs.ts';
export {
  checkEnvelope,
  type EnvelopeVerdict,
  type EventLineVerdict,
  MAX_EVENT_BYTES,
  readEventLine,
} from './read-event.ts';
export {
  checkRecordForm,
  type RecordVerdict,
  recordHash,
  signRecord,
  verifyRecord,
  verifyRecordAsync,
  verifySignature,
  verifySignatureAsync,
} from './record.ts';
export type { RecordFaultCode } from './record-rules.ts';
export { repositoryIdOf } from './repository-id.ts';
export {
  type EffectiveRevocation,
  isAfterRevocation,
  knownAfter,
} from './revocation.ts';
export {
  type EnrolmentFault,
  type EnrolmentVerdict,
  emptyRoster,
  type Roster,
  type RosterKey,
  roleAt,
  withRevocation,
} from './roster.ts';
export {
  compareWith,
  compareWithRemembered,
  type Remembered,
  rememberCheckpoint,
  rememberedLogs,
  type SeenAt,
  type SeenVerdict,
} from './seen.ts';
export { rememberHistory, seenHistory } from './seen-history.ts';
export { sidecarMatches } from './sidecar-matches.ts';
export type {
  AtribRecord,
  Enrolment,
  EventDraft,
  EventEnvelope,
  EventFile,
  FileChange,
  Hash,
  LogLoss,
  LogPosition,
  Revocation,
  RevocationReason,
  Sidecar,
  SidecarFacts,
  SignedEvent,
  Signer,
  UnsignedRecord,
  Verb,
  WriterTail,
} from './types.ts';
export { REVOCATION_REASONS, VERBS } from './types.ts';
export { VERDICTS, type Verdict } from './verdict.ts';
export { type LineVerdict, verifyMirrorLine } from './verify-line.ts';
export { checkpointPath, eventPath, logNameOf, parseEventPath } from './writer.ts';

/**
 * The ledger: atrib/1.0 records as Waymark's audit log. It owns the canonical encoding, signatures, event lines, the
 * tree and checkpoint of each writer, private keys, enrolment, and what this machine remembers of a repository. It
 * never touches the repository itself: it gives bytes and paths to the store and judges what the store read.
 */
export { type AnchorReport, type AnchorTrust, evaluateAnchors } from './anchors/evaluate.ts';
export type { PinnedLog } from './anchors/log-inclusion.ts';
export { anchorPosture } from './anchors/posture.ts';
export { anchorClaim } from './anchors/rekor.ts';
export { carryAttribution } from './attribution/carry.ts';
export { declarationOf, extensionNameFault, readSettings } from './attribution/declaration.ts';
export { decodeToken, encodeToken, inboundToken } from './attribution/propagation-token.ts';
export { checkReceipt, LOG_SUBMISSIONS, receiptMeta, withReceipt } from './attribution/receipt.ts';
export { EXTENSION, readRequestMeta } from './attribution/request-meta.ts';
export { decodeBase64url, encodeBase64url } from './base64url.ts';
export { type ChainLayer, type ChainSources, mirrorTail, resolveChainRoot } from './chain.ts';
export {
  type Checkpoint,
  type CheckpointVerdict,
  checkpointOrigin,
  parseCheckpoint,
  renderCheckpoint,
} from './checkpoint.ts';
export {
  type CheckpointExport,
  MAX_EXPORT_BYTES,
  parseCheckpointExport,
  type ReadExport,
} from './checkpoint-export.ts';
export { contentId, contentIdOf, normaliseServerUrl } from './content-id.ts';
export {
  type ContextSources,
  isContextId,
  isTraceparent,
  randomContextId,
  resolveContext,
  resolveContextId,
} from './context.ts';
export { creatorGraph } from './creator-graph.ts';
export { deciderOf } from './decider.ts';
export { type DeclaredLoss, isDeclaredLoss } from './declared-loss.ts';
export { checkCertificate, signingInput } from './delegation/certificate.ts';
export { checkRevocation } from './delegation/revocation.ts';
export { checkScope, type RunUsage } from './delegation/scope.ts';
export { walkDelegation } from './delegation/walk.ts';
export { matchesDigest } from './digest.ts';
export { isPublicKey, signerFromSeed, verifyBytes } from './ed25519.ts';
export { deriveEdges } from './edges.ts';
export { applyEvent } from './enrolment.ts';
export { logEntry } from './entry.ts';
export { type BuildEventOptions, buildEvent } from './event.ts';
export { eventTypeByte, eventTypeOf, isEventType } from './event-type.ts';
export { genesisChainRoot, provenanceToken } from './genesis.ts';
export { EDGE_TYPES, type Edge, type GraphRecord } from './graph.ts';
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
export {
  createRecoveryFile,
  protectRecoveryFile,
  type RecoveryKeyOptions,
  readRecoveryFile,
} from './keys/recovery-file.ts';
export type { KeyIdentity, KeyKind, StoredKey } from './keys/stored-key.ts';
export { checkLineEvidence } from './line-evidence.ts';
export { LINK_KINDS, type LinkKind, linksOf, statedLogOf } from './links.ts';
export { type KnownState, type LogFault, type LogFile, logFaults } from './log-faults.ts';
export { appendLeaf, emptyRoot, leafHash, nodeHash, rootOf } from './merkle.ts';
export { isBlankLine, MAX_MIRROR_LINE, type MirrorLine, readMirrorLine } from './mirror-line.ts';
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
  inclusionProofs,
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
} from './record.ts';
export type { RecordFaultCode } from './record-rules.ts';
export { repositoryIdOf } from './repository-id.ts';
export { type EffectiveRevocation, handOver, isAfterRevocation, knownAfter } from './revocation.ts';
export {
  type EnrolmentFault,
  type EnrolmentVerdict,
  emptyRoster,
  RANK,
  type Roster,
  type RosterKey,
  recoveryKeyOf,
  withRevocation,
} from './roster.ts';
export {
  compareWithRemembered,
  type Remembered,
  rememberCheckpoint,
  rememberedLogs,
  type SeenAt,
  type SeenVerdict,
} from './seen.ts';
export { rememberHistory, seenHistory } from './seen-history.ts';
export { sidecarMatches } from './sidecar-matches.ts';
export {
  type Eraser,
  erasedThoughtOf,
  isErasable,
  isFileOf,
  isLeftOf,
  mayStandFor,
  saysDigestOf,
  sidecarOf,
  skeletonOf,
  strippedLine,
} from './skeleton.ts';
export type {
  AtribRecord,
  Enrolment,
  EventDraft,
  EventEnvelope,
  EventFile,
  FileChange,
  Hash,
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
export { VERBS } from './types.ts';
export { VERDICTS, type Verdict } from './verdict.ts';
export { type LineVerdict, verifyMirrorLine } from './verify-line.ts';
export { checkpointPath, eventPath, isCheckpointPath, logNameOf, parseEventPath } from './writer.ts';

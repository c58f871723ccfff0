/** What one element of a bundle proves about one record. */
import { decodeBase64 } from '../base64.ts';
import { logEntry } from '../entry.ts';
import { bytesOfHash } from '../hash.ts';
import type { AtribRecord, Hash } from '../types.ts';
import { type AnchorElement, type LogProof, readElement } from './element.ts';
import { checkInclusion, type InclusionVerdict, type PinnedLog } from './log-inclusion.ts';
import { checkRekor } from './rekor.ts';

/**
 * - `verified`: it holds, on the `basis` named beside it
 * - `pending`: it will hold once its service has finished
 * - `unverifiable`: nothing contradicts it, and the key it stands on is not pinned here
 * - `invalid`: it is about another record, or does not hold
 * - `unknown`: a type nobody here knows; kept and not counted
 */
export type AnchorStatus = 'verified' | 'pending' | 'unverifiable' | 'invalid' | 'unknown' | 'malformed';

export interface AnchorFinding {
  /** Place in the bundle. */
  readonly index: number;
  readonly anchor_type: string | null;
  readonly anchor_id: string | null;
  readonly status: AnchorStatus;
  readonly reason?: string;
  /** `signature`: a pinned key signed it. `binding`: the element names the record; its token or path is not opened. */
  readonly basis?: 'signature' | 'binding';
  /** Unix milliseconds. */
  readonly anchored_at?: number;
  readonly anchoring_key?: string;
  /** The 90 bytes a log committed to, when they are about the record. */
  readonly entry?: Uint8Array;
}

export interface AnchorKeys {
  /** Logs by `log_id`. */
  readonly logs: ReadonlyMap<string, PinnedLog>;
  /** Rekor instances by `anchor_id`. */
  readonly rekor: ReadonlyMap<string, PinnedLog>;
}

interface Subject {
  readonly record: AtribRecord;
  readonly hash: Hash;
  readonly keys: AnchorKeys;
}

export function findAnchor(value: unknown, index: number, subject: Subject): AnchorFinding {
  const element = readElement(value);
  if (element.kind === 'malformed') return { index, anchor_type: null, anchor_id: null, status: 'malformed' };
  const { anchorId: anchor_id } = element;
  const anchor_type = element.kind === 'unknown' ? element.type : element.kind;
  return { index, anchor_type, anchor_id, ...judge(element, subject) };
}

type Judged = Omit<AnchorFinding, 'index' | 'anchor_type' | 'anchor_id'>;

function judge(element: Exclude<AnchorElement, { kind: 'malformed' }>, subject: Subject): Judged {
  const { hash, keys } = subject;
  switch (element.kind) {
    case 'unknown':
      return { status: 'unknown' };
    case 'atrib-log':
      return judgeLogProof(element.proof, subject);
    case 'rfc3161-tsa': {
      const { hashed_message_hex, gen_time_ms } = element.proof;
      return bound(hashed_message_hex, hash) ?? { status: 'verified', basis: 'binding', anchored_at: gen_time_ms };
    }
    case 'opentimestamps': {
      const unbound = bound(element.proof.commitment_hex, hash);
      if (unbound !== null) return unbound;
      if (element.proof.status === 'pending') return { status: 'pending' };
      return { status: 'verified', basis: 'binding', anchored_at: element.proof.attested_time_ms };
    }
    case 'sigstore-rekor': {
      const { verdict, anchoringKey } = checkRekor(element.proof, { hash, pinned: keys.rekor.get(element.anchorId) });
      return {
        ...statusOf(verdict),
        ...(verdict === 'included' && { anchored_at: element.proof.integrated_time_ms }),
        ...(anchoringKey !== undefined && { anchoring_key: anchoringKey }),
      };
    }
  }
}

function judgeLogProof(proof: LogProof, { record, hash, keys }: Subject): Judged {
  const { log_index: index, inclusion_proof: inclusionProof, checkpoint, entry_bytes_b64 } = proof;
  const entry = entry_bytes_b64 === undefined ? logEntry(record, hash) : decodeBase64(entry_bytes_b64);
  if (entry?.length !== 90 || entry[0] !== 0x01) return { status: 'invalid', reason: 'entry_malformed' };
  // The rest of the entry is the log's word: two logs that disagree about it are found by comparing them.
  if (!Buffer.from(entry.subarray(1, 33)).equals(bytesOfHash(hash))) return OTHER_RECORD;
  if (index === undefined) return { status: 'unverifiable', reason: 'log_index_missing' };
  const verdict = checkInclusion({ entry, index, inclusionProof, checkpoint }, keys.logs.get(proof.log_id));
  return { ...statusOf(verdict), entry };
}

const OTHER_RECORD: Judged = { status: 'invalid', reason: 'binding_mismatch' };

function bound(hex: string, hash: Hash): Judged | null {
  return `sha256:${hex}` === hash ? null : OTHER_RECORD;
}

function statusOf(verdict: InclusionVerdict | string): Judged {
  if (verdict === 'included') return { status: 'verified', basis: 'signature' };
  return { status: verdict === 'log_key_unknown' ? 'unverifiable' : 'invalid', reason: verdict };
}

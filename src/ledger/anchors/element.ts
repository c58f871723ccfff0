/** The elements of a proof bundle: who says that a record existed (atrib's specification 2.11). */
import * as z from 'zod';

/** Far above what anybody anchors to. Each element may cost two signatures. */
const MAX_ELEMENTS = 64;
const proofNodes = z.array(z.string().max(64)).max(64);
const place = z.int().nonnegative();

export const bundleSchema = z.object({ record_hash: z.string(), log_proofs: z.array(z.unknown()).max(MAX_ELEMENTS) });

const logProof = z.object({
  anchor_type: z.literal('atrib-log').optional(),
  log_id: z.string(),
  checkpoint: z.string(),
  /** Node hashes in base64, from the leaf up. */
  inclusion_proof: proofNodes,
  log_index: place.optional(),
  /** The 90 bytes the log committed to; @default those of the record */
  entry_bytes_b64: z.string().max(200).optional(),
});
export type LogProof = z.output<typeof logProof>;

const timestampProof = z.object({
  timestamp_token_b64: z.string(),
  hashed_message_hex: z.string(),
  gen_time_ms: place,
});
const calendarProof = z.discriminatedUnion('status', [
  z.object({ status: z.literal('pending'), ots_b64: z.string(), commitment_hex: z.string() }),
  z.object({ status: z.literal('complete'), ots_b64: z.string(), commitment_hex: z.string(), attested_time_ms: place }),
]);
const rekorProof = z.object({
  log_index: place,
  entry_body_b64: z.string(),
  inclusion_proof: proofNodes,
  checkpoint: z.string(),
  integrated_time_ms: place,
  signed_entry_timestamp_b64: z.string(),
});
export type RekorProof = z.output<typeof rekorProof>;

/** An element as it was read; what each kind proves is judged elsewhere. */
export type AnchorElement =
  | { readonly kind: 'atrib-log'; readonly anchorId: string; readonly proof: LogProof }
  | { readonly kind: 'rfc3161-tsa'; readonly anchorId: string; readonly proof: z.output<typeof timestampProof> }
  | { readonly kind: 'opentimestamps'; readonly anchorId: string; readonly proof: z.output<typeof calendarProof> }
  | { readonly kind: 'sigstore-rekor'; readonly anchorId: string; readonly proof: RekorProof }
  | { readonly kind: 'unknown'; readonly anchorId: string; readonly type: string }
  | { readonly kind: 'malformed' };

const other = z.object({ anchor_type: z.string(), anchor_id: z.string(), proof: z.looseObject({}) });

/**
 * An element without `anchor_type` is a log's. What is malformed is that before its type is known or not, so a type of
 * the future cannot be a cover for an empty element.
 */
export function readElement(value: unknown): AnchorElement {
  const log = logProof.safeParse(value);
  if (log.success) return { kind: 'atrib-log', anchorId: log.data.log_id, proof: log.data };
  const element = other.safeParse(value);
  if (!element.success) return { kind: 'malformed' };
  const { anchor_type: type, anchor_id: anchorId, proof: stated } = element.data;
  switch (type) {
    case 'atrib-log':
      return { kind: 'malformed' };
    case 'rfc3161-tsa': {
      const proof = timestampProof.safeParse(stated);
      return proof.success ? { kind: type, anchorId, proof: proof.data } : { kind: 'malformed' };
    }
    case 'opentimestamps': {
      const proof = calendarProof.safeParse(stated);
      return proof.success ? { kind: type, anchorId, proof: proof.data } : { kind: 'malformed' };
    }
    case 'sigstore-rekor': {
      const proof = rekorProof.safeParse(stated);
      return proof.success ? { kind: type, anchorId, proof: proof.data } : { kind: 'malformed' };
    }
    default:
      return { kind: 'unknown', anchorId, type };
  }
}

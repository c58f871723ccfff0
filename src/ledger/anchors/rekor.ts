/**
 * A Rekor entry about a record. The record's own signature is not used again: the log would have to check it against the
 * bytes behind the record's hash, which hold that signature. A fresh key signs a claim that names the hash.
 */
import * as z from 'zod';
import { decodeBase64 } from '../base64.ts';
import { encodeBase64url } from '../base64url.ts';
import { isPublicKey, isSignature, verifyBytes } from '../ed25519.ts';
import { jcs } from '../jcs.ts';
import { parseJson } from '../json-text.ts';
import type { Hash } from '../types.ts';
import type { RekorProof } from './element.ts';
import { checkInclusion, type InclusionVerdict, type PinnedLog } from './log-inclusion.ts';

/** The text that is signed to say that the record of this hash existed. */
export function anchorClaim(hash: Hash): string {
  return `atrib-anchor/v1:${hash}`;
}

const entryBody = z.object({
  kind: z.literal('atrib-anchor-claim/v1'),
  artifact_b64: z.string(),
  public_key_b64url: z.custom<string>(isPublicKey),
  signature_b64url: z.custom<string>(isSignature),
});

export interface RekorVerdict {
  readonly verdict:
    | InclusionVerdict
    | 'entry_malformed'
    | 'anchor_claim_binding_mismatch'
    | 'anchor_claim_signature_invalid'
    | 'entry_timestamp_invalid';
  /** Key that signed the claim. */
  readonly anchoringKey?: string;
}

export function checkRekor(proof: RekorProof, at: { hash: Hash; pinned: PinnedLog | undefined }): RekorVerdict {
  const { hash, pinned } = at;
  const entry = decodeBase64(proof.entry_body_b64);
  const body = entry === null ? null : entryBody.safeParse(parseJson(Buffer.from(entry).toString('utf8')));
  if (entry === null || !body?.success) return { verdict: 'entry_malformed' };
  const { artifact_b64, public_key_b64url: anchoringKey, signature_b64url: signature } = body.data;
  const artifact = Buffer.from(anchorClaim(hash), 'utf8');
  if (artifact_b64 !== artifact.toString('base64')) return { verdict: 'anchor_claim_binding_mismatch' };
  if (!verifyBytes({ publicKey: anchoringKey, signature, bytes: artifact })) {
    return { verdict: 'anchor_claim_signature_invalid' };
  }
  const leaf = {
    entry,
    index: proof.log_index,
    inclusionProof: proof.inclusion_proof,
    checkpoint: proof.checkpoint,
  };
  const verdict = checkInclusion(leaf, pinned);
  if (pinned !== undefined && verdict === 'included' && !isTimestamped(proof, pinned)) {
    return { verdict: 'entry_timestamp_invalid' };
  }
  return { verdict, anchoringKey };
}

/** The log's own word for when it took the entry in. */
function isTimestamped(proof: RekorProof, { publicKey }: PinnedLog): boolean {
  const { entry_body_b64, integrated_time_ms, log_index } = proof;
  const signature = decodeBase64(proof.signed_entry_timestamp_b64);
  if (signature === null) return false;
  const bytes = jcs({ entry_body_b64, integrated_time_ms, log_index });
  return verifyBytes({ publicKey, signature: encodeBase64url(signature), bytes });
}

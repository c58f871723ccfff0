/** That a log's signed tree holds a leaf: the part that atrib's logs and Rekor have in common. */
import { decodeBase64 } from '../base64.ts';
import { claimedCheckpoint, parseCheckpoint } from '../checkpoint.ts';
import { leafHash } from '../merkle.ts';
import { verifyInclusion } from '../proofs.ts';

/** A log whose key the reader has from somewhere else than the proof. */
export interface PinnedLog {
  readonly origin: string;
  /** base64url, 43 characters. */
  readonly publicKey: string;
}

export interface LogLeaf {
  /** The leaf's data. */
  readonly entry: Uint8Array;
  readonly index: number;
  /** base64, from the leaf up. */
  readonly inclusionProof: readonly string[];
  readonly checkpoint: string;
}

export type InclusionVerdict = 'included' | 'checkpoint_invalid' | 'inclusion_invalid' | 'log_key_unknown';

/** Without a pinned log the best that can be said is `log_key_unknown`: the tree holds the leaf, and is anybody's. */
export function checkInclusion(leaf: LogLeaf, pinned: PinnedLog | undefined): InclusionVerdict {
  const checkpoint =
    pinned === undefined ? claimedCheckpoint(leaf.checkpoint) : signedCheckpoint(leaf.checkpoint, pinned);
  if (checkpoint === null) return 'checkpoint_invalid';
  const nodes = leaf.inclusionProof.map(decodeBase64);
  const proof = nodes.filter((node) => node !== null);
  const isIncluded =
    proof.length === nodes.length &&
    verifyInclusion(proof, { leaf: leafHash(leaf.entry), index: leaf.index, tree: checkpoint });
  if (!isIncluded) return 'inclusion_invalid';
  return pinned === undefined ? 'log_key_unknown' : 'included';
}

function signedCheckpoint(text: string, pinned: PinnedLog) {
  const verdict = parseCheckpoint(text, pinned);
  return verdict.ok ? verdict.checkpoint : null;
}

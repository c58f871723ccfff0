/**
 * RFC 6962 trees as a compact range: the roots of the full subtrees of the binary digits of the size, left to right.
 * Appending needs nothing else, so a writer carries at most 32 hashes whatever its length.
 */
import { sha256 } from './hash.ts';

const LEAF = Uint8Array.of(0x00);
const NODE = Uint8Array.of(0x01);

/** Root of the tree of no leaves. */
export const emptyRoot: Uint8Array = sha256();

/** Hash of one leaf's data. */
export function leafHash(entry: Uint8Array): Uint8Array {
  return sha256(LEAF, entry);
}

export function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  return sha256(NODE, left, right);
}

/**
 * The peaks after one more leaf.
 *
 * @param peaks Peaks of a tree of `size` leaves; left as they are.
 * @param leaf The leaf's hash, from {@link leafHash}.
 */
export function appendLeaf(peaks: readonly Uint8Array[], size: number, leaf: Uint8Array): readonly Uint8Array[] {
  const next = [...peaks];
  let node = leaf;
  // Each trailing one bit of the size is a full subtree that the new node completes.
  for (let rest = size; rest % 2 === 1; rest = Math.floor(rest / 2)) {
    const left = next.pop();
    if (left === undefined) throw new RangeError(`Too few peaks for a tree of ${size} leaves: ${peaks.length}`);
    node = nodeHash(left, node);
  }
  next.push(node);
  return next;
}

export function rootOf(peaks: readonly Uint8Array[]): Uint8Array {
  const last = peaks.at(-1);
  if (last === undefined) return emptyRoot;
  return peaks.slice(0, -1).reduceRight((right, left) => nodeHash(left, right), last);
}

/**
 * Merkle proofs of RFC 9162: that a leaf is in a tree (2.1.3), and that a tree is the beginning of another (2.1.4).
 * Leaves are hashes from `leafHash`. What is verified comes from others, so lengths and sizes are checked first.
 */
import { emptyRoot, nodeHash } from './merkle.ts';

/** Node hashes of 32 bytes, from the leaves up. */
export type Proof = readonly Uint8Array[];

export interface Tree {
  /** Number of leaves. */
  readonly size: number;
  /** 32 bytes. */
  readonly root: Uint8Array;
}

/** A leaf's place in a tree. */
export interface Inclusion {
  /** The leaf's hash. */
  readonly leaf: Uint8Array;
  /** From 0. */
  readonly index: number;
  readonly tree: Tree;
}

/** Trees of 2^53 leaves, the largest size that is a safe integer, have no longer proofs. */
const LONGEST_PROOF = 64;

/** As {@link inclusionProver}, for one leaf. */
export function inclusionProof(leaves: readonly Uint8Array[], index: number): Proof {
  return inclusionProver(leaves)(index);
}

/**
 * Proves of leaves that they are in the tree of `leaves`, which is hashed once. The answer throws `RangeError` when there
 * is no leaf of that index.
 */
export function inclusionProver(leaves: readonly Uint8Array[]): (index: number) => Proof {
  const levels: (readonly Uint8Array[])[] = [];
  for (let level = leaves; level.length > 1; level = levelAbove(level)) levels.push(level);
  return (index) => {
    if (!Number.isInteger(index) || index < 0 || index >= leaves.length) {
      throw new RangeError(`No leaf ${index} in a tree of ${leaves.length}`);
    }
    // An odd last node has no sibling and moves up as it is.
    return levels.flatMap((level, height) => level[Math.floor(index / 2 ** height) ^ 1] ?? []);
  };
}

function levelAbove(level: readonly Uint8Array[]): readonly Uint8Array[] {
  const above: Uint8Array[] = [];
  for (let at = 0; at < level.length; at += 2) {
    const [left, right] = level.slice(at, at + 2);
    if (left !== undefined) above.push(right === undefined ? left : nodeHash(left, right));
  }
  return above;
}

/** Whether the proof shows the leaf at its place (RFC 9162 2.1.3.2). False for anything malformed. */
export function verifyInclusion(proof: Proof, { leaf, index, tree }: Inclusion): boolean {
  const isPlace = isSize(tree.size) && Number.isInteger(index) && index >= 0 && index < tree.size;
  if (!isPlace || !isProof(proof) || !areHashes([leaf, tree.root])) return false;
  let [at, last] = [index, tree.size - 1];
  let hash = leaf;
  for (const node of proof) {
    if (last === 0) return false;
    if (isOdd(at) || at === last) {
      hash = nodeHash(node, hash);
      // The levels at which the path has no sibling: it is the last node there.
      while (!isOdd(at) && at !== 0) [at, last] = [half(at), half(last)];
    } else hash = nodeHash(hash, node);
    [at, last] = [half(at), half(last)];
  }
  return last === 0 && isSame(hash, tree.root);
}

/**
 * Proof that the tree of the first `size` leaves is the beginning of the tree of all. Empty for 0 and for all of them.
 * Throws `RangeError` for a size beyond.
 */
export function consistencyProof(leaves: readonly Uint8Array[], size: number): Proof {
  if (!Number.isInteger(size) || size < 0 || size > leaves.length) {
    throw new RangeError(`No tree of ${size} leaves in one of ${leaves.length}`);
  }
  if (size === 0) return [];
  const proof: Uint8Array[] = [];
  let [from, to] = [0, leaves.length];
  while (size !== to) {
    const middle = from + largestPowerBelow(to - from);
    if (size <= middle) {
      proof.push(subtreeRoot(leaves, middle, to));
      to = middle;
    } else {
      proof.push(subtreeRoot(leaves, from, middle));
      from = middle;
    }
  }
  // A whole left subtree is the old root, which the verifier has.
  if (from !== 0) proof.push(subtreeRoot(leaves, from, to));
  return proof.reverse();
}

/**
 * Whether the proof shows `older` to be the beginning of `newer` (RFC 9162 2.1.4.2). False for anything malformed.
 * Beyond the RFC, which leaves both out: equal sizes need equal roots, and the empty tree begins every tree; either with
 * an empty proof.
 */
export function verifyConsistency(proof: Proof, { older, newer }: { readonly older: Tree; readonly newer: Tree }) {
  const areTrees = isSize(older.size) && isSize(newer.size) && older.size <= newer.size;
  if (!areTrees || !isProof(proof) || !areHashes([older.root, newer.root])) return false;
  if (older.size === newer.size) return proof.length === 0 && isSame(older.root, newer.root);
  if (older.size === 0) return proof.length === 0 && isSame(older.root, emptyRoot);
  const [first, ...rest] = isPowerOfTwo(older.size) ? [older.root, ...proof] : proof;
  if (first === undefined || proof.length === 0) return false;
  let [at, last] = [older.size - 1, newer.size - 1];
  while (isOdd(at)) [at, last] = [half(at), half(last)];
  let [old, now] = [first, first];
  for (const node of rest) {
    if (last === 0) return false;
    if (isOdd(at) || at === last) {
      old = nodeHash(node, old);
      now = nodeHash(node, now);
      while (!isOdd(at) && at !== 0) [at, last] = [half(at), half(last)];
    } else now = nodeHash(now, node);
    [at, last] = [half(at), half(last)];
  }
  return last === 0 && isSame(old, older.root) && isSame(now, newer.root);
}

/** Root of the leaves from `from` to before `to`. */
function subtreeRoot(leaves: readonly Uint8Array[], from: number, to: number): Uint8Array {
  const first = leaves[from];
  if (first === undefined) return emptyRoot;
  if (to - from === 1) return first;
  const middle = from + largestPowerBelow(to - from);
  return nodeHash(subtreeRoot(leaves, from, middle), subtreeRoot(leaves, middle, to));
}

/** The largest power of two smaller than `size`, which is at least 2: where RFC 9162 splits a tree. */
function largestPowerBelow(size: number): number {
  let power = 1;
  while (power * 2 < size) power *= 2;
  return power;
}

// Not the bit operators, which cut numbers to 32 bits.
function isOdd(number: number): boolean {
  return number % 2 === 1;
}

function half(number: number): number {
  return Math.floor(number / 2);
}

function isPowerOfTwo(number: number): boolean {
  return number === 1 || number === largestPowerBelow(number + 1);
}

function isSize(size: number): boolean {
  return Number.isSafeInteger(size) && size >= 0;
}

function isProof(proof: Proof): boolean {
  return proof.length <= LONGEST_PROOF && areHashes(proof);
}

function areHashes(values: readonly Uint8Array[]): boolean {
  return values.every((value) => value.length === 32);
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.from(a).equals(b);
}

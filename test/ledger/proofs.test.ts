import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  appendLeaf,
  consistencyProof,
  emptyRoot,
  inclusionProofs,
  leafHash,
  rootOf,
  type Tree,
  verifyConsistency,
  verifyInclusion,
} from '../../src/ledger/index.ts';

const LEAVES = Array.from({ length: 1024 }, (_, at) => leafHash(Buffer.from(`leaf ${at}`)));
const LARGEST = 70;

function tree(size: number): Tree {
  let peaks: readonly Uint8Array[] = [];
  for (const [at, leaf] of LEAVES.slice(0, size).entries()) peaks = appendLeaf(peaks, at, leaf);
  return { size, root: rootOf(peaks) };
}

const TREES = Array.from({ length: LARGEST + 1 }, (_, size) => tree(size));

function treeOf(size: number): Tree {
  return TREES[size] ?? tree(size);
}

function leafAt(index: number): Uint8Array {
  return LEAVES[index] ?? emptyRoot;
}

/** Each hash with one bit of it turned, one after the other. */
function* flips(hashes: readonly Uint8Array[]): Generator<readonly Uint8Array[]> {
  for (const [at, hash] of hashes.entries()) {
    for (let bit = 0; bit < 256; bit += 1) {
      const flipped = Buffer.from(hash);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      yield hashes.map((other, index) => (index === at ? flipped : other));
    }
  }
}

test(`every leaf of every tree up to ${LARGEST} is proved at its own place, and at no other`, () => {
  let proofs = 0;
  for (let size = 1; size <= LARGEST; size += 1) {
    const all = LEAVES.slice(0, size);
    for (let index = 0; index < size; index += 1) {
      const proof = inclusionProofs(all)(index);
      const leaf = leafAt(index);
      expect(verifyInclusion(proof, { leaf, index, tree: treeOf(size) })).toBe(true);
      for (const other of [index - 1, index + 1, size]) {
        expect(verifyInclusion(proof, { leaf, index: other, tree: treeOf(size) })).toBe(false);
      }
      expect(verifyInclusion(proof, { leaf: leafAt(index + 1), index, tree: treeOf(size) })).toBe(false);
      proofs += 1;
    }
  }
  console.log(`figure: ${proofs} inclusion proofs verified`);
});

test(`every tree up to ${LARGEST} is proved the beginning of every larger one, and of no other tree`, () => {
  let proofs = 0;
  for (let size = 0; size <= LARGEST; size += 1) {
    const newer = treeOf(size);
    for (let first = 0; first <= size; first += 1) {
      const proof = consistencyProof(LEAVES.slice(0, size), first);
      const older = treeOf(first);
      expect(verifyConsistency(proof, { older, newer }), `${first} of ${size}`).toBe(true);
      const other = { size: first, root: leafHash(older.root) };
      expect(verifyConsistency(proof, { older: other, newer })).toBe(false);
      // Every tree begins with the empty one.
      const another = { size, root: leafHash(newer.root) };
      expect(verifyConsistency(proof, { older, newer: another })).toBe(first === 0 && size > 0);
      proofs += 1;
    }
  }
  console.log(`figure: ${proofs} consistency proofs verified`);
});

test('proofs of trees of random sizes hold', () => {
  const place = fc
    .integer({ min: 1, max: LEAVES.length })
    .chain((size) => fc.record({ size: fc.constant(size), index: fc.nat(size - 1), first: fc.nat(size) }));
  fc.assert(
    fc.property(place, ({ size, index, first }) => {
      const [all, newer] = [LEAVES.slice(0, size), treeOf(size)];
      expect(verifyInclusion(inclusionProofs(all)(index), { leaf: leafAt(index), index, tree: newer })).toBe(true);
      expect(verifyConsistency(consistencyProof(all, first), { older: treeOf(first), newer })).toBe(true);
    }),
    { numRuns: 60 },
  );
});

test('any bit of a proof that is turned is refused', () => {
  for (const size of [2, 3, 7, 8, 13]) {
    const [all, newer] = [LEAVES.slice(0, size), treeOf(size)];
    for (let index = 0; index < size; index += 1) {
      const place = { leaf: leafAt(index), index, tree: newer };
      const proof = inclusionProofs(all)(index);
      expect(verifyInclusion(proof, place)).toBe(true);
      for (const flipped of flips(proof)) expect(verifyInclusion(flipped, place)).toBe(false);
      const trees = { older: treeOf(index), newer };
      const consistency = consistencyProof(all, index);
      expect(verifyConsistency(consistency, trees)).toBe(true);
      for (const flipped of flips(consistency)) expect(verifyConsistency(flipped, trees)).toBe(false);
    }
  }
});

test('a proof that is too long, too short or not of hashes is refused', () => {
  const [all, newer] = [LEAVES.slice(0, 7), treeOf(7)];
  const place = { leaf: leafAt(3), index: 3, tree: newer };
  const trees = { older: treeOf(3), newer };
  const [inclusion, consistency] = [inclusionProofs(all)(3), consistencyProof(all, 3)];
  expect([verifyInclusion(inclusion, place), verifyConsistency(consistency, trees)]).toEqual([true, true]);
  const long = Array.from({ length: 65 }, () => emptyRoot);
  for (const bad of [[], long, [Buffer.alloc(31)]]) {
    expect(verifyInclusion(bad, place)).toBe(false);
    expect(verifyConsistency(bad, trees)).toBe(false);
  }
  for (const cut of [
    (proof: readonly Uint8Array[]) => proof.slice(1),
    (proof: readonly Uint8Array[]) => [...proof, emptyRoot],
  ]) {
    expect(verifyInclusion(cut(inclusion), place)).toBe(false);
    expect(verifyConsistency(cut(consistency), trees)).toBe(false);
  }
  for (const size of [-1, 0, 0.5, 2 ** 53, Number.NaN]) {
    expect(verifyInclusion(inclusion, { ...place, tree: { ...newer, size } })).toBe(false);
    expect(verifyConsistency(consistency, { older: trees.older, newer: { ...newer, size } })).toBe(false);
  }
  expect(verifyConsistency([], { older: newer, newer: trees.older })).toBe(false);
  expect(() => inclusionProofs(all)(7)).toThrow(RangeError);
  expect(() => consistencyProof(all, 8)).toThrow(RangeError);
});

test('the proofs of Appendix A of the atrib specification are ours', () => {
  const file = new URL('../vectors/atrib/appendix-a.json', import.meta.url);
  const schema = z.object({
    two_leaf: z.object({
      leaf0_hex: z.string(),
      leaf1_hex: z.string(),
      root_hex: z.string(),
      proof_index0_base64: z.array(z.string()),
      proof_index1_base64: z.array(z.string()),
    }),
  });
  const { two_leaf } = schema.parse(JSON.parse(readFileSync(file, 'utf8')));
  const leaves = [two_leaf.leaf0_hex, two_leaf.leaf1_hex].map((hex) => Buffer.from(hex, 'hex'));
  const both = { size: 2, root: Buffer.from(two_leaf.root_hex, 'hex') };
  for (const [index, proof] of [two_leaf.proof_index0_base64, two_leaf.proof_index1_base64].entries()) {
    expect(inclusionProofs(leaves)(index).map((hash) => Buffer.from(hash).toString('base64'))).toEqual(proof);
    const given = proof.map((text) => Buffer.from(text, 'base64'));
    expect(verifyInclusion(given, { leaf: leaves[index] ?? emptyRoot, index, tree: both })).toBe(true);
  }
});

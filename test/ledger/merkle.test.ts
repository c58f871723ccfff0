import { expect, test } from 'vitest';
import { appendLeaf, emptyRoot, leafHash, nodeHash, rootOf } from '../../src/ledger/index.ts';

/** RFC 6962 section 2.1, word for word. */
function naiveRoot(leaves: readonly Uint8Array[]): Uint8Array {
  const [first] = leaves;
  if (first === undefined) return emptyRoot;
  if (leaves.length === 1) return first;
  let split = 1;
  while (split * 2 < leaves.length) split *= 2;
  return nodeHash(naiveRoot(leaves.slice(0, split)), naiveRoot(leaves.slice(split)));
}

test('peaks give the root of the recursive tree for every size from 0 to 300', () => {
  const leaves: Uint8Array[] = [];
  let peaks: readonly Uint8Array[] = [];
  expect(Buffer.from(rootOf(peaks)).toString('hex')).toBe(
    'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  );
  for (let size = 0; size < 300; size++) {
    const leaf = leafHash(Buffer.from(`leaf ${size}`));
    leaves.push(leaf);
    peaks = appendLeaf(peaks, size, leaf);
    expect(rootOf(peaks)).toEqual(naiveRoot(leaves));
    expect(peaks.length).toBe((size + 1).toString(2).replaceAll('0', '').length);
  }
});

test('appendLeaf leaves its peaks as they were and refuses peaks of another size', () => {
  const leaf = leafHash(Uint8Array.of(1));
  const one = appendLeaf([], 0, leaf);
  appendLeaf(one, 1, leaf);
  expect(one).toEqual([leaf]);
  expect(() => appendLeaf([], 1, leaf)).toThrow(RangeError);
});

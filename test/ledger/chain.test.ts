import { expect, test } from 'vitest';
import { mirrorTail, recordHash } from '../../src/ledger/index.ts';
import { NOW, testEvent, testSigner } from './support.ts';

const one = testEvent({ signer: testSigner(1) }).record;
const two = testEvent({ signer: testSigner(2) }).record;
const later = testEvent({ signer: testSigner(1), timestamp: NOW + 1 }).record;

test('mirrorTail takes the last of a file, the latest of several, and the greater hash of a tie', () => {
  const greater = [recordHash(one), recordHash(two)].sort()[1];
  expect(mirrorTail(one.context_id, [[one], [two]])).toBe(greater);
  expect(mirrorTail(one.context_id, [[two], [one]])).toBe(greater);
  expect(mirrorTail(one.context_id, [[two], [later]])).toBe(recordHash(later));
  // Within a file append order counts, not time.
  expect(mirrorTail(one.context_id, [[later, one]])).toBe(recordHash(one));
  expect(mirrorTail('b'.repeat(32), [[one], [two]])).toBeNull();
});

/** Which end of a key holds. */
import { expect, test } from 'vitest';
import { logNameOf } from '../../src/ledger/index.ts';
import { openIndex } from '../../src/store/index/index.ts';
import { endOf } from '../../src/trail/current-key.ts';
import { testSigner } from '../ledger/support.ts';
import { tempIndexFile, write } from '../store/index/support.ts';

const KEY = testSigner(1).publicKey;

test.each([
  ['first', 'a', 'b'],
  ['last', 'b', 'a'],
])('of several ends of a key the earliest holds, told %s', (_, early, late) => {
  const index = openIndex({ file: tempIndexFile() });
  const log = logNameOf(KEY);
  const ends = [
    { key: KEY, size: 1, reason: 'compromise', event: `sha256:${early.repeat(64)}` },
    { key: KEY, size: 4, reason: 'retirement', event: `sha256:${late.repeat(64)}` },
  ] as const;
  write(index, () => {
    index.putWriterTail({ log, agent_id: 'alice', publicKey: KEY, size: 4, last: null, peaks: [] });
  });
  expect(endOf(index, KEY)).toBeNull();
  write(index, () => {
    for (const end of ends) index.putRevocation({ ...end, by: 'operator', known: false });
  });
  expect(endOf(index, KEY)).toMatchObject({ size: 1, reason: 'compromise' });
});

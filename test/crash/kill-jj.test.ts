/** A few cuts of the kill matrix on Jujutsu; all of them are in `test/long/kill-matrix-jj.test.ts`. */
import { describe, test } from 'vitest';
import { HAS_NO_JJ } from '../support/jj.ts';
import { type Cut, cutOff } from './cut-jj.ts';
import { makeHome } from './home.ts';
import { stageJj } from './staged-jj.ts';

const CUTS: readonly Cut[] = [
  { who: 'node', step: 'objects' },
  { who: 'node and jj', stop: { command: 'squash', when: 'middle' } },
  { who: 'jj', stop: { command: 'bookmark', when: 'end' } },
];

describe.skipIf(HAS_NO_JJ)('on Jujutsu, killed in the middle', () => {
  test('an approval with its predecessor is rolled forward', { timeout: 120_000 }, async ({ expect }) => {
    using jj = stageJj();
    await using home = await makeHome({ path: jj.path });
    let opened = await home.open();
    for (const cut of CUTS) {
      const { successor, ...result } = await cutOff({ home, jj, preparer: opened }, 'approve', cut);
      opened = successor;
      expect.soft(result, JSON.stringify(cut)).toMatchObject({ faults: [], side: 'new' });
    }
  });
});

/**
 * The kill matrix on Jujutsu: a process, its jj, or both are killed at any step of a transaction, and what is found is
 * the old state or the new one, never a mixture; the next writer is answered at once, and jj's log is clean.
 */
import { afterAll, describe, test } from 'vitest';
import type { Step } from '../../src/store/writer.ts';
import { type Cut, cutOff } from '../crash/cut-jj.ts';
import { makeHome } from '../crash/home.ts';
import { type Stop, stageJj } from '../crash/staged-jj.ts';
import { HAS_NO_JJ } from '../support/jj.ts';

/** In the order of a transaction; git's index is jj's own business. */
const STEPS = [
  'lock',
  'intent',
  'first_file',
  'last_file',
  'objects',
  'branch',
  'index',
  'intent_removed',
] as const satisfies readonly Step[];
const COMMANDS = [
  { command: 'squash', when: 'middle' },
  { command: 'bookmark', when: 'end' },
] as const satisfies readonly Stop[];
const ORPHANS = [
  { command: 'squash', when: 'start', fate: 'runs on' },
  { command: 'squash', when: 'start', fate: 'hangs' },
  { command: 'bookmark', when: 'start', fate: 'runs on' },
] as const;
const VERBS = ['save', 'update', 'approve'] as const;

const PATIENCE_MS = 20_000;
const answeredMs: number[] = [];
afterAll(() => {
  if (answeredMs.length > 0)
    console.log(`figure: jj: first answer after a kill: at most ${Math.round(Math.max(...answeredMs))} ms`);
});

describe.skipIf(HAS_NO_JJ)('on Jujutsu, killed at any step', () => {
  test.concurrent.for(VERBS)('%s is old or new, never a mixture', { timeout: 600_000 }, async (verb, { expect }) => {
    using jj = stageJj();
    await using home = await makeHome({ path: jj.path });
    let opened = await home.open();
    const cuts: readonly Cut[] = [
      ...STEPS.map((step) => ({ who: 'node' as const, step })),
      ...COMMANDS.flatMap((stop) => [
        { who: 'jj' as const, stop },
        { who: 'node and jj' as const, stop },
      ]),
      ...(verb === 'save' ? ORPHANS.map(({ fate, ...stop }) => ({ who: 'node' as const, stop, fate })) : []),
    ];
    for (const cut of cuts) {
      const { successor, ...result } = await cutOff({ home, jj, preparer: opened }, verb, cut);
      opened = successor;
      const what = JSON.stringify([verb, cut]);
      answeredMs.push(result.answeredMs);
      const side = 'step' in cut && cut.step === 'lock' ? 'old' : 'new';
      expect.soft(result, what).toMatchObject({ faults: [], side });
      expect.soft(result.answeredMs, what).toBeLessThan(PATIENCE_MS);
      if (cut.who === 'jj') expect.soft(result.answer, what).toMatchObject({ ok: true });
    }
  });
});

/** Rebuilding beside a catch-up that is under way. */
import { expect, test } from 'vitest';
import { Reindexing } from '../../src/store/reindexing.ts';
import { makeHome } from '../crash/home.ts';
import { value } from '../support/record.ts';

test('a rebuild reads everything, also when a catch-up that only continues is under way', async () => {
  await using home = await makeHome();
  await using opened = await home.open();
  value(await opened.as('alice').save({ trail_name: 'acme/eng', content: 'One' }));
  const { root, store, trust } = opened.record.repository;
  const { seenFolder } = opened.record;
  const warn = (message: string): never => expect.fail(message);
  const reindexing = new Reindexing({ root, branch: store.branch, trust, seenFolder, warn });
  const said: Record<'continued' | 'anew' | 'joined', string[]> = { continued: [], anew: [], joined: [] };
  const run = (fromStart: boolean, lines: string[]) =>
    reindexing.run({ fromStart, onProgress: (line) => void lines.push(line) });
  const runs = [run(false, said.continued), run(true, said.anew), run(false, said.joined)];
  expect(await Promise.all(runs)).toEqual([true, true, true]);
  expect(said.anew.join('\n')).toContain('Indexed 1 of 1 thoughts');
  // In step already: the one continues by doing nothing, the other is served by it.
  expect([said.continued, said.joined]).toEqual([[], []]);
});

import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { makeRecord, value } from '../support/record.ts';
import { onTerminal, parsed } from './support.ts';

const WORDS = 'Kumquat vinegar is what the reactor drinks';

test('erase --purge-history asks once, erases, and leaves the words in no object; a dry run changes nothing', async () => {
  await using t = await makeRecord();
  const saved = value(await t.session('alice').operations().save({ trail_name: 'acme/eng', content: WORDS }));
  const id = saved.thought.thought_id;
  const at = { cwd: t.root, env: { ...t.env, WAYMARK_AGENT_ID: 'carol' } };
  const holds = () =>
    execFileSync('git', ['cat-file', '--batch', '--batch-all-objects'], { cwd: t.root }).includes(WORDS);
  const args = ['erase', id, '--reason', 'Its subject asked', '--purge-history'];
  expect((await parsed(['erase', id, '--reason', 'Its subject asked', '--dry-run', '--purge-history'], at)).code).toBe(
    0,
  );
  expect(holds()).toBe(true);
  const done = await onTerminal(args, { ...at, answers: [['for good? [y/N]', 'y\n']] });
  expect(done.stdout).toMatch(/Made \d+ commits anew: the branch was at [0-9a-f]{40}/);
  expect(done.code).toBe(0);
  expect(holds()).toBe(false);
  expect((await parsed(['verify', '--history'], at)).code).toBe(0);
});

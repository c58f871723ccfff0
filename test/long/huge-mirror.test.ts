/** A mirror file that no string can hold: read in chunks, from its first record to its last. */
import { appendFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { envelope, observation, testMirror } from '../store/mirrors/support.ts';

/** One character more than Node can put into a string. */
const TOO_LONG = 0x1fffffe8 + 1;
const FILLERS = 300;
const FILLER = 2 * 2 ** 20;
/** Of Node, above what it has before. */
const MOST_MIB = 200;

test('a mirror file of more than 512 MiB is read whole, in bounded memory', { timeout: 300_000 }, async () => {
  const mirror = testMirror();
  const [first, second, last] = [observation('first'), observation('second'), observation('last')];
  const path = mirror.path('a.jsonl');
  mirror.append('a.jsonl', envelope(first));
  // A hole is a line of zeros longer than any record.
  truncateSync(path, statSync(path).size + TOO_LONG);
  appendFileSync(path, '\n');
  mirror.append('a.jsonl', envelope(second));
  const filler = `${JSON.stringify({ filler: 'x'.repeat(FILLER) })}\n`;
  for (let at = 0; at < FILLERS; at += 1) appendFileSync(path, filler);
  mirror.append('a.jsonl', envelope(last));
  const before = process.memoryUsage().rss;
  const mirrors = mirror.open();
  const state = await mirrors.catchUp();
  expect(state).toMatchObject({ records: 3, skipped: { total: 1 + FILLERS } });
  expect(state.skipped.first[0]).toMatchObject({ line: 2, code: 'too_long' });
  expect((process.memoryUsage().rss - before) / 2 ** 20).toBeLessThan(MOST_MIB);
  for (const one of [first, second, last]) expect(mirrors.read(one.hash)).toMatchObject({ local: one.local });
  writeFileSync(path, '');
  expect(await mirrors.catchUp()).toMatchObject({ records: 0 });
});

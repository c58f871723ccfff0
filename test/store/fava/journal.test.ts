import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readFavaJournal, removeFavaJournal } from '../../../src/store/fava/journal.ts';
import { tempDir } from '../../support/temp-dir.ts';

const THOUGHT = 'trails/acme/thoughts/drafts/01KD2Q8W5N0000000000000001.md';

function leave(text: string): string {
  const root = tempDir();
  mkdirSync(join(root, '.jj'));
  writeFileSync(join(root, '.jj', 'fava-governance-transaction.json'), text);
  return root;
}

test('a journal is read as the bytes to put back, and is gone once removed', () => {
  const root = leave(JSON.stringify({ before: { [THOUGHT]: 'naïve', 'trails/acme/thoughts/decisions/x.md': null } }));
  expect(readFavaJournal(root)).toEqual({
    state: 'left',
    before: new Map([
      [THOUGHT, Buffer.from('naïve')],
      ['trails/acme/thoughts/decisions/x.md', null],
    ]),
  });
  removeFavaJournal(root);
  expect(readFavaJournal(root)).toEqual({ state: 'none' });
});

test.each([
  ['', 'no JSON'],
  ['{"before": []}', 'no map'],
  ['{"after": {}}', 'another form'],
  ['{"before": {"trails/a/thoughts/drafts/x.md": 5}}', 'no text'],
  ['{"before": {"../thoughts/x.md": "a"}}', 'outside'],
  ['{"before": {"/etc/thoughts/x.md": "a"}}', 'absolute'],
  ['{"before": {"trails/a/thoughts/../../../x.md": "a"}}', 'climbing'],
  ['{"before": {"trails/.git/thoughts/x.md": "a"}}', 'git'],
  ['{"before": {"trails/a/.fava-trails.yaml": "a"}}', 'no thought'],
  ['{"before": {"config.yaml": "a"}}', 'no thought'],
])('a journal that holds %s is damaged: %s', (text) => {
  expect(readFavaJournal(leave(text)).state).toBe('damaged');
});

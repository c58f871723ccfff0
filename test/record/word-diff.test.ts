import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Change, wordDiff } from '../../src/record/word-diff.ts';

const kept = (changes: readonly Change[], without: Change['kind']) =>
  changes
    .filter(({ kind }) => kind !== without)
    .map(({ text }) => text)
    .join('');

test('a difference names phrases: what stayed between two changed words goes with them, what stayed beside is same', () => {
  expect(wordDiff('The quick brown fox\njumps.\nend', 'The slow red fox\njumps high.\nend')).toEqual([
    { kind: 'same', text: 'The ' },
    { kind: 'removed', text: 'quick brown' },
    { kind: 'added', text: 'slow red' },
    { kind: 'same', text: ' fox\njumps' },
    { kind: 'added', text: ' high' },
    { kind: 'same', text: '.\nend' },
  ]);
  expect(wordDiff('same', 'same')).toEqual([{ kind: 'same', text: 'same' }]);
  expect(wordDiff('', 'new')).toEqual([{ kind: 'added', text: 'new' }]);
  expect(wordDiff('', '')).toEqual([]);
});

test('a difference of any two texts holds both of them whole', () => {
  const text = fc
    .array(fc.constantFrom('a', 'b', ' ', '\n', 'word', '\t', '.', '\u{1f600}', '\ud800'))
    .map((s) => s.join(''));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const changes = wordDiff(before, after);
      expect(kept(changes, 'added')).toBe(before);
      expect(kept(changes, 'removed')).toBe(after);
    }),
    { numRuns: 300 },
  );
});

test('texts that would cost too much are shown as replaced, still whole', () => {
  const words = (from: number) =>
    Array.from({ length: 20_000 }, (_, at) => `w${(at * 7919 + from) % 10_007}`).join(' ');
  const [before, after] = [words(0), words(5)];
  const changes = wordDiff(`head\n${before}\ntail`, `head\n${after}\ntail`);
  expect(changes.length).toBeLessThan(10);
  expect(kept(changes, 'added')).toBe(`head\n${before}\ntail`);
  expect(kept(changes, 'removed')).toBe(`head\n${after}\ntail`);
});

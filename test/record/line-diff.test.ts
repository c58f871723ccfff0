import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lineDiff, renderDiff } from '../../src/record/line-diff.ts';

const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 }).map((lines) => lines.join('\n'));

test('removed and unchanged lines are the old text, added and unchanged lines the new', () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const diff = lineDiff(before, after);
      const without = (kind: string) => diff.filter((line) => line.kind !== kind).map((line) => line.text);
      expect(without('added').join('\n')).toBe(before);
      expect(without('removed').join('\n')).toBe(after);
    }),
  );
});

test('no more lines change than must', () => {
  const kinds = (before: string, after: string) => lineDiff(before, after).map(({ kind, text }) => kind[0] + text);
  expect(kinds('a\nb\nc', 'a\nx\nc')).toEqual(['sa', 'rb', 'ax', 'sc']);
  expect(kinds('a\nb\nc\nd', 'b\nc\nx\nd')).toEqual(['ra', 'sb', 'sc', 'ax', 'sd']);
  expect(kinds('a', 'a')).toEqual(['sa']);
});

test('a difference too large to compare shows the middle as replaced, and the ends as unchanged', () => {
  const lines = (prefix: string) => Array.from({ length: 3_000 }, (_, at) => `${prefix}${at}`);
  const diff = lineDiff(['top', ...lines('a'), 'end'].join('\n'), ['top', ...lines('b'), 'end'].join('\n'));
  const count = (kind: string) => diff.filter((line) => line.kind === kind).length;
  expect([count('removed'), count('added'), count('same')]).toEqual([3_000, 3_000, 2]);
});

test('long unchanged runs are shortened and counted', () => {
  const before = ['1', '2', '3', '4', '5', '6'].join('\n');
  expect(renderDiff(lineDiff(before, `${before}\n7`), 2)).toEqual(['  ... 4 unchanged lines', '  5', '  6', '+ 7']);
  expect(renderDiff(lineDiff('1\n2', '1\n3'), 0)).toEqual(['  ... 1 unchanged line', '- 2', '+ 3']);
});

import { expect, test } from 'vitest';
import { excerptOf, findTokens } from '../../src/record/excerpt.ts';

test('tokens are found whatever their case, in order and without overlap', () => {
  expect(findTokens('Ab abc AB', ['ab', 'abc'])).toEqual([
    { from: 0, to: 2 },
    { from: 3, to: 6 },
    { from: 7, to: 9 },
  ]);
  expect(findTokens('nothing', ['x'])).toEqual([]);
  // Lower case is longer here, so places would be off.
  expect(findTokens('İ ab', ['ab'])).toEqual([]);
  expect(findTokens('a'.repeat(100_000), ['a']).length).toBe(200);
});

test('an excerpt is a piece of the text around the first match, on one line', () => {
  const text = `${'before '.repeat(100)}the\nneedle is here ${'after '.repeat(100)}`;
  const excerpt = excerptOf(text, ['needle']);
  expect(excerpt).toMatch(/^… before .*the needle is here after.* …$/);
  expect(excerpt.length).toBeLessThan(300);
  expect(excerptOf('short', ['nothing'])).toBe('short');
  expect(excerptOf('', [])).toBe('');
});

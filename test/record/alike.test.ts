import fc from 'fast-check';
import { expect, test } from 'vitest';
import { marksOf, valueMark } from '../../src/record/alike.ts';
import { differencesOf, subjectSimilarity } from '../../src/record/differences.ts';
import { shinglesOf, similarity, wordsOf } from '../../src/record/similarity.ts';

const alike = (one: string, other: string) => similarity(shinglesOf(wordsOf(one)), shinglesOf(wordsOf(other)));

test('texts that are alike share a mark as often as six orders promise, texts that are not hardly ever', () => {
  const words = Array.from({ length: 400 }, (_, at) => `w${at}`);
  const text = (from: number) => words.slice(from, from + 40).join(' ');
  const shares = (one: string, other: string) => marksOf(one).some((mark) => marksOf(other).includes(mark));
  const near = Array.from({ length: 300 }, (_, at) => shares(text(at), text(at + 9)));
  const far = Array.from({ length: 300 }, (_, at) => shares(text(at), text(at + 60)));
  // 29 common shingles of 47: 0.62, so one in 330 shares none.
  expect(alike(text(0), text(9))).toBeCloseTo(0.62, 2);
  expect(near.filter(Boolean).length).toBeGreaterThan(290);
  expect(far.filter(Boolean)).toEqual([]);
});

test('the mark of a value is that of its words alone; every mark is a safe integer', () => {
  expect(valueMark('Retry  ONLY idempotent charges!')).toBe(valueMark('retry only idempotent charges'));
  expect(valueMark('Retry only idempotent charges 3')).not.toBe(valueMark('Retry only idempotent charges 4'));
  expect(valueMark(' ?! ')).toBeNull();
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const marks = marksOf(text);
      expect(marks.every((mark) => Number.isSafeInteger(mark) && mark >= 0)).toBe(true);
      expect(marks[0] ?? null).toBe(valueMark(text));
    }),
    { numRuns: 50 },
  );
});

test.each([
  ['The timeout is 30 s', 'The timeout is 45 s', ['numbers']],
  ['We retry charges', 'We do not retry charges', ['negation']],
  ["We don't retry after 3 tries", 'We retry after 4 tries', ['numbers', 'negation']],
  ['We retry charges after 3 tries', 'After 3 tries we retry the charges', []],
  ['Not that nobody asked', 'Somebody asked', []],
])('"%s" against "%s" differs in %j', (one, other, differences) => {
  expect(differencesOf(one, other)).toEqual(differences);
});

test('a changed number or an added negation leaves the subject alike', () => {
  expect(subjectSimilarity('Retry charges at most 3 times', 'Retry charges at most 5 times')).toBe(1);
  expect(subjectSimilarity('Retry charges at night', 'Do not retry charges at night')).toBeGreaterThan(0.6);
  expect(subjectSimilarity('Retry charges at most 3 times', 'Deploy the shop at most 3 times')).toBeLessThan(0.4);
});

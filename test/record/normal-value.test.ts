import fc from 'fast-check';
import { expect, test } from 'vitest';
import { normaliseValue } from '../../src/record/normal-value.ts';
import { factsOf } from '../../src/record/value-facts.ts';

const SAME = [
  ['letter case', 'Straße nach Süd', 'STRASSE NACH SÜD'],
  ['final sigma', 'ΟΔΟΣ', 'οδος'],
  ['Turkish i', 'Iı İi', 'iiii'.replace(/^(..)(..)$/, '$1 $2')],
  ['white space', 'a\u00a0b\u2003c\n\td\u2028e\u3000f\u0085g\u2800h', 'a b c d e f g h'],
  ['punctuation', '«Retry», (at most): once…', 'retry at most once'],
  ['Markdown', '## **Retry** `at` _most_ ~~once~~', 'retry at most once'],
  ['apostrophes', 'It isn’t', "it isn't"],
  ['zero width and soft hyphens', 'r\u200be\u200ct\u200dr\u2060y\ufeff\u00ad', 'retry'],
  ['bidi controls', '\u202eretry\u202c \u2066once\u2069', 'retry once'],
  ['variation selectors and tags', 'retry\ufe0f\u{e0100} once\u{e0041}', 'retry once'],
  ['full width', 'Ｒｅｔｒｙ　３', 'retry 3'],
  ['mathematical letters', '𝐑𝑒𝓉𝔯𝕪', 'retry'],
  ['Cyrillic', 'Rеtrу Асmе', 'retry acme'],
  ['Cyrillic capitals', 'НОТ ВМТК', 'HOT BMTK'],
  ['Greek', 'Ροrt Αcme serνer ΝΕW', 'port acme server new'],
  ['Latin look-alikes', 'ꜱᴍᴀʟʟ faiI łøop', 'small fail loop'],
  ['Latin in Cyrillic', 'cервер упал', 'сервер упал'],
  ['marks that imitate', 're\u0323t\u0336r\u0335y ré', 'retry re'],
  ['units with and without a blank', '10ms 5% 3°C $4', '10 ms 5 % 3 °C $ 4'],
  ['dashes in ranges and signs', 'from −5 to 5–10', 'from -5 to 5-10'],
] as const;

test.each(SAME)('%s makes no other value', (_, one, other) => {
  expect(normaliseValue(one)).toBe(normaliseValue(other));
});

const DIFFERENT = [
  ['numbers', '3 retries', '4 retries'],
  ['decimal points', '1.5', '15'],
  ['thousands', '1,000', '1.000'],
  ['signs', 'at -5', 'at 5'],
  ['percent', '5%', '5'],
  ['units', '5 ms', '5 µs'],
  ['currencies', '5 €', '5 $'],
  ['powers', '10²', '102'],
  ['fractions', '1½', '11/2'],
  ['dates', '2026-11-30', '20261130'],
  ['versions', '1.2.3', '1.23'],
  ['comparisons', 'a ≤ b', 'a ≥ b'],
  ['a negated sign', 'a ≠ b', 'a = b'],
  ['a negation', 'it is safe', 'it is not safe'],
  ['a negation in another place of the blank', 'not able', 'notable'],
  ['a short negation', "it isn't", 'it is'],
  ['a negation in code', '!ready', 'ready'],
  ['a picture that says no', '❌ tabs', '✅ tabs'],
  ['words', 'cat', 'dog'],
] as const;

test.each(DIFFERENT)('%s stay', (_, one, other) => {
  expect(normaliseValue(one)).not.toBe(normaliseValue(other));
});

test('the facts of a word as long as a body are found', () => {
  expect([...factsOf(`x ${'a'.repeat(300_000)} and Auth0`).names]).toEqual(['auth']);
});

test('a text without words and numbers has no value, and every value is its own', () => {
  expect(['', ' \n', '...', '\u200b', '**—**', '🙂'].map(normaliseValue)).toEqual(['', '', '', '', '', '']);
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const value = normaliseValue(text);
      expect(normaliseValue(value)).toBe(value);
    }),
    { seed: 5, numRuns: 300 },
  );
});

test('scripts without blanks are compared by the character', () => {
  expect(normaliseValue('重试三次。')).toBe('重 试 三 次');
  expect(normaliseValue('重试 三次')).toBe(normaliseValue('重试三次'));
});

test('the facts of a value are its numbers and its names, whatever begins a sentence', () => {
  const { numbers, names } = factsOf(
    'The API of Acme runs on k8s. When foo_bar fails 3.5 times, JSON goes to acme/logs',
  );
  expect([...numbers]).toEqual(['8', '3.5']);
  expect([...names]).toEqual(['apl', 'acme', 'foo', 'bar', 'json', 'logs']);
});

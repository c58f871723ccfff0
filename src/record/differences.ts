/** Whether two alike texts say different things: other numbers, or one denies what the other states. */
import { shinglesOf, similarity, wordsOf } from './similarity.ts';

export type Difference = 'numbers' | 'negation';

const NEGATIONS: ReadonlySet<string> = new Set(
  'no not never none nobody nothing neither nor without cannot nicht kein keine keinen nie niemals ohne'.split(' '),
);

/** Empty when both state the same numbers and deny equally often. English and some German; other languages by numbers alone. */
export function differencesOf(one: string, other: string): readonly Difference[] {
  const [a, b] = [wordsOf(one), wordsOf(other)];
  return [
    ...(sorted(a.filter(isNumber)) === sorted(b.filter(isNumber)) ? [] : (['numbers'] as const)),
    ...(a.filter(isNegation).length % 2 === b.filter(isNegation).length % 2 ? [] : (['negation'] as const)),
  ];
}

/**
 * How alike two texts are apart from what {@link differencesOf} tells: numbers count as one word, negations as none. A
 * short claim with another number is 1 here, and 0.5 by its words.
 */
export function subjectSimilarity(one: string, other: string): number {
  const [a, b] = [one, other].map((text) => {
    const words = wordsOf(text).filter((word) => !isNegation(word));
    return shinglesOf(words.map((word) => (isNumber(word) ? '#' : word)));
  });
  return a === undefined || b === undefined ? 0 : similarity(a, b);
}

function isNumber(word: string): boolean {
  return /\p{N}/u.test(word);
}

function isNegation(word: string): boolean {
  return NEGATIONS.has(word) || /n['’]t$/.test(word);
}

function sorted(words: readonly string[]): string {
  return [...words].sort().join(' ');
}

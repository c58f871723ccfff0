/** What a reworded claim keeps when it still says the same: its numbers and its names. */
import { cleanText, foldedTokens, isNumber } from './normal-value.ts';

export interface ValueFacts {
  readonly numbers: ReadonlySet<string>;
  /** Words, as `normaliseValue` has them. */
  readonly names: ReadonlySet<string>;
}

/** Words and what joins them into an identifier: `k8s`, `foo_bar`, `acme/api`. */
const WORD = /[\p{L}\p{M}\p{N}_]+(?:[./_-][\p{L}\p{M}\p{N}_]+)*/gu;

/** Numbers, and words that are capitalised within a sentence or spelt as no plain word is. */
export function factsOf(text: string): ValueFacts {
  const visible = cleanText(text);
  const names = new Set<string>();
  const seen = new Set<string>();
  let end = 0;
  for (const { 0: word, index } of visible.matchAll(WORD)) {
    const isFirst = end === 0 || /[.!?:\n]/u.test(visible.slice(end, index));
    end = index + word.length;
    if (seen.has(word) || !isName(word, isFirst)) continue;
    seen.add(word);
    for (const token of foldedTokens(word)) if (!isNumber(token) && token.length > 1) names.add(token);
  }
  return { numbers: new Set(foldedTokens(visible).filter(isNumber)), names };
}

/** The first word of a sentence is capitalised whatever it is, so it counts by its spelling alone. */
function isName(word: string, isFirst: boolean): boolean {
  // One look at each character: a word may be as long as a body.
  const isIdentifier = /\p{L}\p{N}*[\p{Lu}_./]/u.test(word) || (/\p{L}/u.test(word) && /\p{N}/u.test(word));
  return isIdentifier || (!isFirst && /^\p{Lu}/u.test(word));
}

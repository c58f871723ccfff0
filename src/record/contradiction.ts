/**
 * Whether two texts say nearly the same with another number, another unit, or the opposite.
 *
 * What they share is measured without what would differ: a claim of six words and its negation have hardly a run of
 * three words in common. It nominates for a person; two sentences about two things may look alike. Negations are known
 * in English alone.
 */
import { cleanText, foldedTokens, isNumber } from './normal-value.ts';
import { similarity } from './similarity.ts';

/** In what two texts differ that else say nearly the same. */
export type Difference = 'number' | 'negation' | 'unit';

/** A text, read for comparison. */
export interface ComparedText {
  /** Its words without negations, numbers, and what stands right after a number. */
  readonly frame: ReadonlySet<string>;
  /** Number to what is counted: the word or sign after it, empty for none. */
  readonly amounts: ReadonlyMap<string, ReadonlySet<string>>;
  readonly negations: number;
}

/** UTF-16 units of a text that are compared: what differs further down is for the reader. */
const COMPARED = 16_384;
/** As much of both frames together must be in both. */
const ALIKE = 0.6;
/** As `foldedTokens` has them, which joins what an apostrophe parts. */
const NEGATIONS: ReadonlySet<string> = new Set([
  ...['not', 'no', 'never', 'none', 'neither', 'nor', 'nobody', 'nothing', 'without', 'cannot', '¬'],
  ...['dont', 'doesnt', 'didnt', 'isnt', 'arent', 'wasnt', 'werent', 'wont', 'cant', 'couldnt', 'shouldnt', 'wouldnt'],
  ...['mustnt', 'hasnt', 'havent', 'hadnt', 'neednt'],
]);

export function comparedText(text: string): ComparedText {
  const tokens = foldedTokens(cleanText(text.slice(0, COMPARED)));
  const frame = new Set<string>();
  const amounts = new Map<string, Set<string>>();
  let negations = 0;
  for (const [at, token] of tokens.entries()) {
    const before = tokens[at - 1];
    const isCounted = before !== undefined && isNumber(before);
    if (NEGATIONS.has(token)) negations += 1;
    else if (isNumber(token)) {
      const unit = tokens[at + 1] ?? '';
      const units = amounts.get(token) ?? new Set();
      amounts.set(token, units.add(isNumber(unit) ? '' : unit));
    } else if (!isCounted) frame.add(token);
  }
  return { frame, amounts, negations };
}

/** Empty when the two agree, or are about different things. */
export function contradictions(one: ComparedText, other: ComparedText): readonly Difference[] {
  if (similarity(one.frame, other.frame) < ALIKE) return [];
  const found: Difference[] = [];
  const [mine, theirs] = [ownNumbers(one, other), ownNumbers(other, one)];
  // A number more on one side alone adds something.
  if (mine && theirs) found.push('number');
  if (one.negations % 2 !== other.negations % 2) found.push('negation');
  if (hasOtherUnit(one, other)) found.push('unit');
  return found;
}

function ownNumbers({ amounts }: ComparedText, other: ComparedText): boolean {
  return [...amounts.keys()].some((number) => !other.amounts.has(number));
}

function hasOtherUnit({ amounts }: ComparedText, other: ComparedText): boolean {
  return [...amounts].some(([number, units]) => {
    const theirs = other.amounts.get(number);
    return theirs !== undefined && ![...units].some((unit) => theirs.has(unit));
  });
}

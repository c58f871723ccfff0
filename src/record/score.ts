/**
 * Relevance of one thought to a query, from that thought alone: a statistic of other records (document frequency,
 * average length) would let withheld text change the order of visible results.
 */
import { norm } from './matching.ts';
import type { Thought } from './thought.ts';

const K1 = 1.2;
const B = 0.75;
/** Stands in for BM25's average length, which would be a statistic of other records. Characters. */
const REFERENCE_LENGTH = 1000;
const WHOLE_WORD = 2;
const BOOSTED = 3;

const WORD_CHARACTER = /[\p{L}\p{N}\p{M}_]/u;

export interface ScoredText {
  /** See `hayOf`. */
  readonly hay: string;
  /** See {@link boostedOf}. */
  readonly boosted: string;
  /** See {@link lengthOf}. */
  readonly length: number;
}

/** Folded project and tags, one a line: hits here weigh three times. */
export function boostedOf(thought: Thought): string {
  const { project, tags } = thought.metadata;
  return norm((project === undefined ? tags : [project, ...tags]).join('\n'));
}

/** Length of the body as written, in code points. */
export function lengthOf(thought: Thought): number {
  const { body } = thought;
  let length = 0;
  for (let at = 0; at < body.length; at++) if (!isLowSurrogate(body.charCodeAt(at))) length++;
  return length;
}

/** Sum over tokens of the saturated term frequency; 0 for no tokens. Tokens are folded. */
export function score(text: ScoredText, tokens: readonly string[]): number {
  const scale = K1 * (1 - B + (B * text.length) / REFERENCE_LENGTH);
  let sum = 0;
  for (const token of tokens) {
    // `hay` holds the boosted text too, so its hits already count once.
    const tf = weigh(text.hay, token) + (BOOSTED - 1) * weigh(text.boosted, token);
    sum += (tf * (K1 + 1)) / (tf + scale);
  }
  return sum;
}

/** Non-overlapping hits, each 1, or 2 when no word character touches it. */
function weigh(text: string, token: string): number {
  let weight = 0;
  for (let at = text.indexOf(token); at !== -1; at = text.indexOf(token, at + token.length)) {
    const isWhole = !isWordBefore(text, at) && !isWordAt(text, at + token.length);
    weight += isWhole ? WHOLE_WORD : 1;
  }
  return weight;
}

function isWordBefore(text: string, end: number): boolean {
  if (end === 0) return false;
  const start = isLowSurrogate(text.charCodeAt(end - 1)) ? end - 2 : end - 1;
  return isWordAt(text, start);
}

function isWordAt(text: string, at: number): boolean {
  const code = text.codePointAt(at);
  if (code === undefined) return false;
  if (code < 0x80) return isAsciiWord(code);
  return WORD_CHARACTER.test(String.fromCodePoint(code));
}

/** `text` is folded, so upper case does not occur. */
function isAsciiWord(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39) || code === 0x5f;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/**
 * Marks of a text: two texts that share one may be alike, two that share none hardly are.
 *
 * The first mark is of the whole text, the others are minima of its 3-shingles under different orders (Broder 1997). With
 * six of them two texts of similarity 0.3 share one in 88 of 100 cases, of 0.6 in 99.6. Marks nominate; whoever asks
 * compares the texts. Not a secret: they are kept in the disposable index alone.
 */
import { shinglesOf, wordsOf } from './similarity.ts';

const ORDERS = 6;
/** Words of a long text that are looked at. */
const MAX_WORDS = 4_000;
const RANGE = 2 ** 32;

/** Safe integers, each saying which mark it is; none for a text without words. */
export function marksOf(text: string): readonly number[] {
  const words = wordsOf(text).slice(0, MAX_WORDS);
  if (words.length === 0) return [];
  const hashes = [...shinglesOf(words)].map(hashOf);
  const minima = Array.from({ length: ORDERS }, (_, order) => {
    let least = RANGE;
    for (const hash of hashes) {
      const mixed = mix(hash, order);
      if (mixed < least) least = mixed;
    }
    return (order + 1) * RANGE + least;
  });
  return [wholeMark(words), ...minima];
}

/** The mark that only texts of the same words share, but for chance; `null` without words. */
export function valueMark(text: string): number | null {
  const words = wordsOf(text).slice(0, MAX_WORDS);
  return words.length === 0 ? null : wholeMark(words);
}

function wholeMark(words: readonly string[]): number {
  return hashOf(words.join(' '));
}

/** FNV-1a over UTF-16 units, 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

/** The finaliser of MurmurHash3, started at another place for each order. */
function mix(hash: number, order: number): number {
  let mixed = hash ^ Math.imul(order + 1, 0x9e3779b1);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

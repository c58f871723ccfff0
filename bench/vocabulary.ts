/**
 * Words by rank of frequency. Word r is drawn with a chance proportional to 1/r (Zipf), so a place in this list decides
 * how many thoughts hold a word: of 1 KB bodies "the" is in nearly all, "function" in about half, "deprecated" in one or
 * two of a hundred.
 */
import { createRandom } from './random.ts';

export const VOCABULARY_SIZE = 4000;

const GLUE = 'the of to and a in is that for it with on as be this are by not from when an';
const COMMON =
  'function we service value request error config file test call build data cache index type server client key state ' +
  'which only after before must never each because user queue retry timeout token deploy branch commit module schema';
const STEMS =
  'adapt alloc assert batch bind block bound bucket buffer bundle channel check chunk cluster code collect compile ' +
  'connect consume context convert copy count cursor decode depend digest dispatch drain drop emit encode event expire ' +
  'export extract fetch field filter flag flush fold format gate graph group guard handle hash header host import infer ' +
  'inject insert invoke join kernel label latch lease limit link list load lock log map mark match memory merge message ' +
  'metric migrate mount mutate node offset option order output packet page parse patch path payload peer permit pipe ' +
  'poll pool port print probe process profile prompt proxy prune publish push quota range rank read record reduce region ' +
  'relay release render replica report reset resolve restore result review rewrite role rollback root route run sample ' +
  'scale scan schedule scope script search secret seed segment select session shard sign slice snapshot socket sort ' +
  'source spawn stack stage start store stream string struct submit sync table tag task tenant thread throttle tick tier ' +
  'trace track trail transform tree trigger tune update validate vector verify version view wait walk watch weight wire ' +
  'worker wrap write yield zone';
const PREFIXES = ['', 're', 'pre', 'un', 'multi', 'sub', 'over', 'inter', 'auto', 'non', 'cross', 'self'];
const SUFFIXES = ['', 's', 'ed', 'ing', 'er', 'able', 'less', 'ment'];

/** Rank of "deprecated": about 1.5 % of bodies of 160 words. */
const DEPRECATED_RANK = 1200;

/** All words, the most frequent first. */
export function vocabulary(): readonly string[] {
  const random = createRandom(7);
  const made = PREFIXES.flatMap((prefix) =>
    SUFFIXES.flatMap((suffix) => STEMS.split(' ').map((stem) => `${prefix}${stem}${suffix}`)),
  );
  const tail = made.map((word) => ({ word, at: random() })).sort((a, b) => a.at - b.at);
  const words = [...new Set([...GLUE.split(' '), ...COMMON.split(' '), ...tail.map(({ word }) => word)])];
  words.splice(DEPRECATED_RANK - 1, 0, 'deprecated');
  return words.slice(0, VOCABULARY_SIZE);
}

/** A function that draws words as the ranks say. */
export function createWordSource(random: () => number): () => string {
  const words = vocabulary();
  const cumulative: number[] = [];
  let sum = 0;
  for (let rank = 1; rank <= words.length; rank += 1) {
    sum += 1 / rank;
    cumulative.push(sum);
  }
  return () => words[lowerBound(cumulative, random() * sum)] ?? 'the';
}

/** The first index whose value is not below `wanted`. */
function lowerBound(sorted: readonly number[], wanted: number): number {
  let low = 0;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? Number.POSITIVE_INFINITY) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

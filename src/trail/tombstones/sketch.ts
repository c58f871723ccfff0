/**
 * A sample of a text's 3-shingles by which others can be compared with it, without the text: the smallest of their keyed
 * digests (bottom-k, Broder 1997). Of a short text it is all of them, and the answer exact.
 */
import { SHORT } from './digests.ts';

/** Enough that an estimate is within 0.05 of the truth: three standard deviations where it matters, at 0.6. */
const MEMBERS = 1024;
/** Shingles of a value below which a longer text may hold all of them by chance. */
const CONTAINED_FROM = 5;
const CONTAINED = 0.9;

export interface Sketch {
  /** Of the whole text. */
  readonly shingles: number;
  /** Short digests. */
  readonly members: readonly string[];
}

/** @param shingles Short digests of all of them. */
export function sketchOf(shingles: ReadonlySet<string>): Sketch {
  return { shingles: shingles.size, members: [...shingles].sort().slice(0, MEMBERS) };
}

export interface Likeness {
  /** Estimated Jaccard index, 0 to 1. */
  readonly similarity: number;
  /** The other text, longer perhaps, holds (nearly) all of the value. */
  readonly contained: boolean;
}

/** @param other Short digests of all shingles of another text, under the same key. */
export function similarityTo({ shingles, members }: Sketch, other: ReadonlySet<string>): Likeness {
  const share = members.filter((member) => other.has(member)).length / Math.max(1, members.length);
  const common = share * shingles;
  return {
    similarity: common === 0 ? 0 : common / (shingles + other.size - common),
    contained: shingles >= CONTAINED_FROM && share >= CONTAINED,
  };
}

/** As a file keeps them. */
export function joinDigests(digests: Iterable<string>): string {
  return [...digests].sort().join('');
}

/** See {@link joinDigests}. */
export function splitDigests(joined: string): readonly string[] {
  return Array.from({ length: joined.length / SHORT }, (_, at) => joined.slice(at * SHORT, (at + 1) * SHORT));
}

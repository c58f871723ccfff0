/** Thought ids: ULIDs, so that names sort by time and two machines never collide. */
import { monotonicFactory } from 'ulid';

const THOUGHT_ID = /^[0-9A-HJKMNP-TV-Z]{26}$/;

export interface IdFactoryOptions {
  /** Unix milliseconds. */
  readonly now: () => number;
}

/**
 * Makes a function whose ids rise strictly for as long as it lives, also within one millisecond and when the clock goes
 * back. Two factories (two processes) are ordered only by their clocks.
 *
 * The random part comes from the platform's cryptographic source, one byte a character.
 */
export function createIdFactory(options: IdFactoryOptions): () => string {
  const next = monotonicFactory();
  // The library takes 0 for "no time given" and fails on a fraction or a negative time.
  return () => next(Math.max(1, Math.floor(options.now())));
}

/** 26 upper-case Crockford characters. FAVA reads any name; Waymark reports the others as unreadable. */
export function isThoughtId(text: string): boolean {
  return THOUGHT_ID.test(text);
}

/** First characters of an id that may name it; fewer would name everything saved in the same months. */
export const MIN_ID_PREFIX = 4;

/** As a caller types a thought: an id or its first characters, in either case. */
export function isIdPrefix(text: string): boolean {
  return text.length >= MIN_ID_PREFIX && /^[0-9A-HJKMNP-TV-Z]{1,26}$/i.test(text);
}

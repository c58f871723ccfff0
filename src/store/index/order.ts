/** The order of results: score, then time, both descending, then id and path so that it is total. */
import type { RecallCursor } from './types.ts';

export interface Place {
  readonly score: number;
  /** Microseconds since 1970. */
  readonly created: number;
  readonly id: string;
  readonly path: string;
}

/** Before every place. */
export const START: Place = { score: Infinity, created: Infinity, id: '', path: '' };

/** Neither a git path nor an id in a text file can hold it. */
const SEPARATOR = '\0';

/** Negative when `a` comes first. */
export function compareRelevance(a: Place, b: Place): number {
  return b.score - a.score || compareTime(a, b);
}

/** Negative when `a` comes first; ignores the score. */
export function compareTime(a: Place, b: Place): number {
  return b.created - a.created || compareText(b.id, a.id) || compareText(b.path, a.path);
}

export function cursorOf(place: Place): RecallCursor {
  return { score: place.score, time: String(place.created), id: place.id + SEPARATOR + place.path };
}

export function placeOf(cursor: RecallCursor): Place {
  const [id = '', path = ''] = cursor.id.split(SEPARATOR);
  return { score: cursor.score, created: Number(cursor.time), id, path };
}

/** By UTF-8 bytes, which is how SQLite orders text; JavaScript's order differs beyond the basic plane. */
function compareText(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));
}

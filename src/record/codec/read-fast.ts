import type { Json } from '../thought.ts';
import { encodeFrontmatter } from './encode.ts';
import { NESTING_LIMIT } from './limits.ts';
import { resolvePlain } from './plain.ts';
import { type Frontmatter, toFrontmatter } from './schema.ts';

/**
 * Reads frontmatter that our own writer (or FAVA's) wrote, several times faster than the YAML library.
 *
 * It is right because of its last line and not because of its care: the result counts only when writing it gives the
 * same text again, and the library reads what the writer writes as the values written (a tested property). Everything
 * else is undefined here and goes to the library; so the reader below may misread what we never write, but must end.
 */
export function decodeFrontmatterFast(text: string): Frontmatter | undefined {
  const cursor: Cursor = { text, at: 0, failed: false };
  const tree = readMap(cursor, { indent: 0, depth: 1 });
  if (cursor.failed || cursor.at !== text.length) return undefined;
  const parsed = toFrontmatter(tree);
  return parsed.ok && encodeFrontmatter(parsed.value) === text ? parsed.value : undefined;
}

interface Cursor {
  readonly text: string;
  /** Between nodes: the start of a line, or the place after `- ` on it. */
  at: number;
  failed: boolean;
}

interface Place {
  readonly indent: number;
  readonly depth: number;
}

function fail(cursor: Cursor): null {
  cursor.failed = true;
  cursor.at = cursor.text.length;
  return null;
}

/** Blanks at the start of the line. */
function lineIndent(cursor: Cursor): number {
  let end = cursor.at;
  while (cursor.text[end] === ' ') end += 1;
  return end - cursor.at;
}

/** Whether `- ` stands so many columns further. */
function isItemAt(cursor: Cursor, indent: number): boolean {
  return cursor.text[cursor.at + indent] === '-' && cursor.text[cursor.at + indent + 1] === ' ';
}

/** Steps to the next entry or item at an indent; false, without a step, when the collection ends here. */
function enterNext(cursor: Cursor, next: { indent: number; isItem: boolean }): boolean {
  if (cursor.failed || cursor.at >= cursor.text.length || lineIndent(cursor) !== next.indent) return false;
  if (isItemAt(cursor, next.indent) !== next.isItem) return false;
  cursor.at += next.indent;
  return true;
}

/** Reads entries at an indent; the first may start in the middle of a line. */
function readMap(cursor: Cursor, place: Place): Json {
  if (place.depth > NESTING_LIMIT) return fail(cursor);
  const map: Record<string, Json> = {};
  do {
    const key = readKey(cursor);
    // Assigning `__proto__` would set the prototype; the library's path takes it as data.
    if (key === undefined || key === '__proto__') return fail(cursor);
    map[key] = readValue(cursor, place);
  } while (enterNext(cursor, { indent: place.indent, isItem: false }));
  return map;
}

function readList(cursor: Cursor, place: Place): Json {
  if (place.depth > NESTING_LIMIT) return fail(cursor);
  const items: Json[] = [];
  do {
    cursor.at += '- '.length;
    items.push(readItem(cursor, { indent: place.indent + 2, depth: place.depth + 1 }));
  } while (enterNext(cursor, { indent: place.indent, isItem: true }));
  return items;
}

/** Reads a key and its colon; undefined when the line has none. */
function readKey(cursor: Cursor): string | undefined {
  const { text, at } = cursor;
  const quoted = readQuoted(cursor);
  if (quoted !== undefined) {
    if (text[cursor.at] !== ':') return undefined;
    cursor.at += 1;
    return quoted;
  }
  const colon = text.indexOf(':', at);
  const after = text[colon + 1];
  if (colon < 0 || (after !== ' ' && after !== '\n')) return undefined;
  const key = text.slice(at, colon);
  if (key.includes('\n')) return undefined;
  cursor.at = colon + 1;
  return key;
}

/** Reads what follows a key's colon. */
function readValue(cursor: Cursor, place: Place): Json {
  const isOnLine = cursor.text[cursor.at] === ' ';
  cursor.at += 1;
  if (isOnLine) return readScalar(cursor, place.indent + 2);
  const indent = lineIndent(cursor);
  const inner = { indent, depth: place.depth + 1 };
  const isList = isItemAt(cursor, indent);
  if (indent !== (isList ? place.indent : place.indent + 2)) return fail(cursor);
  cursor.at += indent;
  return isList ? readList(cursor, inner) : readMap(cursor, inner);
}

function readItem(cursor: Cursor, place: Place): Json {
  if (isItemAt(cursor, 0)) return readList(cursor, place);
  const start = cursor.at;
  const isEntry = readKey(cursor) !== undefined;
  cursor.at = start;
  return isEntry ? readMap(cursor, place) : readScalar(cursor, place.indent);
}

/** Reads a scalar and the end of its last line; its folded lines have at least the indent. */
function readScalar(cursor: Cursor, indent: number): Json {
  const quoted = readQuoted(cursor);
  if (quoted !== undefined) {
    if (cursor.text[cursor.at] !== '\n') return fail(cursor);
    cursor.at += 1;
    return quoted;
  }
  const first = readLine(cursor);
  if (first === '[]') return [];
  if (first === '{}') return {};
  let folded = first;
  while (cursor.at < cursor.text.length && lineIndent(cursor) >= indent) {
    cursor.at += indent;
    folded += ` ${readLine(cursor)}`;
  }
  return folded === first ? resolvePlain(first) : folded;
}

function readLine(cursor: Cursor): string {
  const newline = cursor.text.indexOf('\n', cursor.at);
  const end = newline < 0 ? cursor.text.length : newline;
  const line = cursor.text.slice(cursor.at, end);
  cursor.at = end + 1;
  return line;
}

const QUOTED = /'((?:[^']|'')*)'|"((?:[^"\\\n]|\\[^\n])*)"/y;

function readQuoted(cursor: Cursor): string | undefined {
  const quote = cursor.text[cursor.at];
  if (quote !== "'" && quote !== '"') return undefined;
  QUOTED.lastIndex = cursor.at;
  const match = QUOTED.exec(cursor.text);
  if (match === null) return undefined;
  cursor.at = QUOTED.lastIndex;
  const [, single, double = ''] = match;
  return single === undefined ? unescapeText(double) : single.replace(/\n */g, ' ').replaceAll("''", "'");
}

const ESCAPES: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r' };

function unescapeText(text: string): string {
  return text.replace(/\\(?:x(..)|u(....)|(.))/g, (_, byte?: string, unit?: string, char = '') => {
    const hex = byte ?? unit;
    return hex === undefined ? (ESCAPES[char] ?? char) : String.fromCharCode(Number.parseInt(hex, 16));
  });
}

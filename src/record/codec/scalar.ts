import { isPlain, PRINTABLE_ASCII } from './plain.ts';

/** PyYAML's default width: it breaks at the first single blank after this column. */
const WIDTH = 80;

/** Where a scalar starts and where its folded lines continue, in columns from 0. */
export interface ScalarPlace {
  readonly column: number;
  readonly indent: number;
}

/**
 * Writes a string scalar with the bytes of PyYAML for printable ASCII, and as one line in double quotes for all else.
 *
 * `---` is written escaped, wherever it stands: FAVA's reader ends the frontmatter at that substring.
 *
 * @throws Error for a lone surrogate: no UTF-8 file can hold it.
 */
export function writeString(text: string, place: ScalarPlace): string {
  if (isPlain(text)) return fold(text, place);
  if (!PRINTABLE_ASCII.test(text) || text.includes('---')) return writeDoubleQuoted(text);
  return `'${fold(text.replaceAll("'", "''"), { ...place, column: place.column + 1 })}'`;
}

/** A mapping key on the line of its value is never folded. */
export function writeSimpleKey(text: string): string {
  return writeString(text, { column: Number.NEGATIVE_INFINITY, indent: 0 });
}

function fold(text: string, place: ScalarPlace): string {
  let { column } = place;
  let lineStart = 0;
  let out = '';
  // The first blank after the width, then the next one if it is not single or stands at an end of the text.
  let blank = text.indexOf(' ', WIDTH + 1 - column);
  while (blank >= 0) {
    const isSingle = text[blank - 1] !== ' ' && text[blank + 1] !== ' ';
    if (isSingle && blank > 0 && blank < text.length - 1) {
      out += `${text.slice(lineStart, blank)}\n${' '.repeat(place.indent)}`;
      lineStart = blank + 1;
      column = place.indent;
      blank = text.indexOf(' ', lineStart + Math.max(0, WIDTH + 1 - column));
    } else {
      blank = text.indexOf(' ', blank + 1);
    }
  }
  return lineStart === 0 ? text : out + text.slice(lineStart);
}

/**
 * What may not stand as itself in double quotes: the quote and the backslash; what PyYAML's reader rejects as
 * unprintable; what it takes for a line break (NEL, LS, PS); the byte order mark.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const ESCAPED = /["\\\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g;

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
};

function writeDoubleQuoted(text: string): string {
  assertWellFormed(text);
  const escaped = text
    .replace(ESCAPED, (char) => SHORT_ESCAPES[char] ?? escapeByCode(char))
    .replace(/-(?=--)/g, '\\x2D');
  return `"${escaped}"`;
}

function escapeByCode(char: string): string {
  const hex = char.charCodeAt(0).toString(16).toUpperCase();
  return hex.length > 2 ? `\\u${hex.padStart(4, '0')}` : `\\x${hex.padStart(2, '0')}`;
}

/** @throws Error when the text has a lone surrogate. */
export function assertWellFormed(text: string): void {
  // With the `u` flag a pair is one code point, so only a lone surrogate matches.
  if (/\p{Surrogate}/u.test(text)) throw new Error('Cannot write text with a lone surrogate: UTF-8 has no form for it');
}

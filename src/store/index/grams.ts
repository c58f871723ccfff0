/**
 * The search terms of a text: its distinct runs of one, two and three UTF-16 units without ASCII white space.
 *
 * Terms only nominate, since every candidate is confirmed on its text: a query may use fewer than it has, two characters
 * may share a term, and half of a surrogate pair may become U+FFFD, as long as texts and queries do the same.
 */

/** Enough to select; a long token has hundreds, and each costs a posting list. */
const MAX_TERMS = 48;

const ASCII = 0x80;
/**
 * FTS5's `ascii` tokenizer keeps letters, digits and all beyond ASCII. Other ASCII moves up by 0x80 to be kept too, and
 * then shares terms with Latin-1 letters.
 */
const TERM_OF_ASCII = Uint8Array.from({ length: ASCII }, (_, unit) =>
  /[a-z0-9]/.test(String.fromCharCode(unit)) ? unit : ASCII + unit,
);

/** A unit is the end of three terms of one, two and three units, each with a space. */
const MAX_BYTES_PER_UNIT = 9;

/**
 * Makes the function that lists the terms of a folded text, separated by spaces.
 *
 * This is a good part of a bulk load. It keeps 8 MiB to tell seen ASCII runs without hashing and writes them as Latin-1
 * bytes: with a Set of strings it takes five times as long.
 */
export function gramLister(): (folded: string) => string {
  const seenIn = new Uint32Array(ASCII ** 3);
  let text = 0;

  return (folded) => {
    text++;
    const bytes = Buffer.allocUnsafe(folded.length * MAX_BYTES_PER_UNIT);
    let end = 0;
    const wide = new Set<string>();
    // The two units before, 0 where the word begins: folded text holds no NUL.
    let first = 0;
    let second = 0;
    for (let at = 0; at < folded.length; at++) {
      const third = folded.charCodeAt(at);
      if (isAsciiSpace(third)) {
        first = 0;
        second = 0;
        continue;
      }
      add(0, 0, third);
      if (second !== 0) add(0, second, third);
      if (first !== 0) add(first, second, third);
      first = second;
      second = third;
    }
    return bytes.toString('latin1', 0, end) + [...wide].join(' ');

    function add(a: number, b: number, c: number): void {
      if (a >= ASCII || b >= ASCII || c >= ASCII) {
        wide.add(term(a) + term(b) + term(c));
        return;
      }
      const slot = (a * ASCII + b) * ASCII + c;
      if (seenIn[slot] === text) return;
      seenIn[slot] = text;
      if (a !== 0) bytes[end++] = TERM_OF_ASCII[a] ?? 0;
      if (b !== 0) bytes[end++] = TERM_OF_ASCII[b] ?? 0;
      bytes[end++] = TERM_OF_ASCII[c] ?? 0;
      bytes[end++] = 0x20;
    }
  };
}

/** FTS5 expression that every text holding all tokens satisfies. `tokens` must not be empty. */
export function gramQuery(tokens: readonly string[]): string {
  const terms = new Set<string>();
  for (const token of tokens) {
    const units = Array.from({ length: token.length }, (_, at) => term(token.charCodeAt(at)));
    for (let at = 0; at === 0 || at + 3 <= units.length; at++) terms.add(units.slice(at, at + 3).join(''));
  }
  const step = Math.ceil(terms.size / MAX_TERMS);
  const used = [...terms].filter((_, at) => at % step === 0);
  // A quoted string is literal in FTS5: no operator, column filter or prefix star is read inside it.
  return used.map((text) => `"${text}"`).join(' AND ');
}

function term(unit: number): string {
  return unit === 0 ? '' : String.fromCharCode(TERM_OF_ASCII[unit] ?? unit);
}

function isAsciiSpace(unit: number): boolean {
  return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d);
}

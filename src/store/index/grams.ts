/**
 * The terms of the two candidate tables. Terms only nominate: a query may use fewer of them than it has, and two
 * characters may share a term, since every candidate is confirmed on its text.
 */

/** Enough to select; a long token has hundreds, and each costs a posting list. */
const MAX_TRIGRAMS = 48;

/** Other ASCII would separate tokens in FTS5's `ascii` tokenizer: it moves to a private plane, white space stays. */
const PRIVATE_PLANE = 0xf0000;

const ASCII = 0x80;
const ASCII_TERMS: readonly string[] = Array.from({ length: ASCII }, (_, code) => asciiTerm(code));

/**
 * Text for the short-gram table: the distinct runs of one and two code points of folded text without ASCII white
 * space. Called for each thought of a bulk load, hence the table of seen ASCII pairs.
 */
export function shortGrams(folded: string): string {
  const terms: string[] = [];
  const seen = new Uint8Array(ASCII * ASCII);
  const wide = new Set<string>();
  let before = 0;
  let beforeTerm = '';
  for (let at = 0; at < folded.length; at++) {
    const code = folded.codePointAt(at) ?? 0;
    if (code > 0xffff) at++;
    const term = ASCII_TERMS[code] ?? String.fromCodePoint(code);
    if (term !== '') {
      if (code < ASCII && before < ASCII) {
        addAscii(code, term);
        if (beforeTerm !== '') addAscii(before * ASCII + code, beforeTerm + term);
      } else {
        wide.add(term);
        if (beforeTerm !== '') wide.add(beforeTerm + term);
      }
    }
    before = code;
    beforeTerm = term;
  }
  return [...terms, ...wide].join(' ');

  /** Slot of one character: itself after NUL, which folded text does not hold. */
  function addAscii(slot: number, term: string): void {
    if (seen[slot] === 1) return;
    seen[slot] = 1;
    terms.push(term);
  }
}

/** FTS5 expression for the tokens of one or two code points, `null` when there are none. */
export function shortQuery(tokens: readonly string[]): string | null {
  const terms = tokens.map((token) => [...token]).filter((characters) => characters.length < 3);
  return conjunction(terms.map((characters) => characters.map(shortTerm).join('')));
}

/** FTS5 expression for the tokens of three or more code points, `null` when there are none. */
export function trigramQuery(tokens: readonly string[]): string | null {
  const trigrams = new Set<string>();
  for (const token of tokens) {
    const characters = [...token];
    for (let at = 0; at + 3 <= characters.length; at++) trigrams.add(characters.slice(at, at + 3).join(''));
  }
  const step = Math.ceil(trigrams.size / MAX_TRIGRAMS);
  return conjunction([...trigrams].filter((_, at) => at % step === 0));
}

/** A quoted string is literal in FTS5: no operator, column filter or prefix star is read inside it. */
function conjunction(terms: readonly string[]): string | null {
  if (terms.length === 0) return null;
  return terms.map((term) => `"${term.replaceAll('"', '""')}"`).join(' AND ');
}

function shortTerm(character: string): string {
  return ASCII_TERMS[character.codePointAt(0) ?? 0] ?? character;
}

function asciiTerm(code: number): string {
  const character = String.fromCharCode(code);
  if (/\s/u.test(character)) return '';
  return /[a-z0-9]/.test(character) ? character : String.fromCodePoint(PRIVATE_PLANE + code);
}

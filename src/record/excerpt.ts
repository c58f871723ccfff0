/** Where the words of a query stand in a text. */

/** Characters of an excerpt, about, and of what stands before the first match in it. */
const LENGTH = 280;
const LEAD = 80;

/** UTF-16 offsets, the end exclusive. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/**
 * The places of folded tokens in the text, in order and without overlap. None where folding changes the length of the
 * text, since places would then be off; at most 200.
 *
 * @param tokens folded, as `tokensOf` gives them
 */
export function findTokens(text: string, tokens: readonly string[]): readonly Span[] {
  const folded = text.toLowerCase();
  if (folded.length !== text.length) return [];
  const spans: Span[] = [];
  for (const token of tokens) {
    let from = token === '' ? -1 : folded.indexOf(token);
    while (from >= 0 && spans.length < MOST) {
      spans.push({ from, to: from + token.length });
      from = folded.indexOf(token, from + token.length);
    }
  }
  let end = 0;
  return spans
    .sort((a, b) => a.from - b.from || b.to - a.to)
    .filter(({ from, to }) => {
      const isFree = from >= end;
      if (isFree) end = to;
      return isFree;
    });
}

const MOST = 200;

/** A piece of the text, on one line, around the first place of a token; its beginning when there is none. */
export function excerptOf(text: string, tokens: readonly string[]): string {
  const first = findTokens(text, tokens)[0]?.from ?? 0;
  const from = first <= LEAD ? 0 : wordStart(text, first - LEAD);
  const to = Math.min(text.length, from + LENGTH);
  const piece = text.slice(from, to).toWellFormed().replace(/\s+/g, ' ').trim();
  return `${from > 0 ? '… ' : ''}${piece}${to < text.length ? ' …' : ''}`;
}

/** The next word that starts at or behind the place, or the place itself when none does soon. */
function wordStart(text: string, at: number): number {
  const gap = text.slice(at, at + LEAD).search(/\s/);
  return gap < 0 ? at : at + gap + 1;
}

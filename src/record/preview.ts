/** The short form of a body in results (fava.md 2.3). */

const PREVIEW_CHARACTERS = 200;

/** The first 200 characters (code points, so no pair is split), and `...` when more follow. */
export function previewOf(body: string): string {
  let end = 0;
  for (let count = 0; count < PREVIEW_CHARACTERS && end < body.length; count++) {
    end += (body.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  }
  return end < body.length ? `${body.slice(0, end)}...` : body;
}

/** Cost of a line: of eight such lines with their ids, under 500 tokens (docs/retrieval.md). */
const LINE_COST = 80;

/**
 * The first line that says something, without the marks of a heading, white space folded, and `...` when more follows
 * on it. Characters count as many as JSON writes for them, and others than Latin as many as make a token, so that no text
 * makes the line dear.
 */
export function lineOf(body: string): string {
  // Nothing far down is looked at: a body may begin with a megabyte of blanks.
  const start = /^[\s#>*-]*/.exec(body.slice(0, FAR))?.[0].length ?? 0;
  const [line = ''] = body.slice(start, start + FAR).split(/[\r\n\u2028\u2029]/, 1);
  let cost = 0;
  let kept = '';
  for (const character of line.replace(/\s+/g, ' ').trim()) {
    cost += costOf(character);
    if (cost > LINE_COST) return `${kept}...`;
    kept += character;
  }
  return kept;
}

const FAR = 4_096;

/** Angle brackets too: the MCP door escapes them. A token is taken for four characters, an emoji for three tokens. */
function costOf(character: string): number {
  if (/[<>\u0085]/.test(character)) return 6;
  const code = character.codePointAt(0) ?? 0;
  if (code > 0xffff) return 12;
  // Latin letters with marks are half a token or so.
  if (code > 0x7f) return code > 0x24f ? 4 : 2;
  return JSON.stringify(character).length - 2;
}

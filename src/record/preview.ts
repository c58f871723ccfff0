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

/** Cost of a line on the wire: of twelve such lines with their ids, well under 500 tokens (docs/retrieval.md). */
const LINE_COST = 64;

/**
 * The first line that says something, without the marks of a heading, white space folded, and `...` when more follows
 * on it. Characters count as many as JSON writes for them, so that no text makes the line dear.
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

/** Angle brackets too: the MCP door escapes them. */
function costOf(character: string): number {
  return /[<>\u0085]/.test(character) ? 6 : JSON.stringify(character).length - 2;
}

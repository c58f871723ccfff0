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

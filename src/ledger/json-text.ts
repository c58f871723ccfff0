/** Foreign JSON text, before anything recursive reads it. */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Levels of objects and lists in what is hashed or stored: both recurse, and the stack is finite. */
export const MAX_LEVELS = 64;

/** `undefined` for what is no JSON. The parser's own message quotes the text, which may hold what must not reach a log. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Deepest nesting of a JSON text; of other text, any number. */
export function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at);
        break;
      case 0x5b: // [
      case 0x7b: // {
        depth += 1;
        if (depth > deepest) deepest = depth;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth -= 1;
        break;
    }
  }
  return deepest;
}

/** Place of the quote that ends the string begun at `start`, or the end of the text. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text.charCodeAt(before) === BACKSLASH) before -= 1;
    if ((end - before) % 2 === 1) return end;
  }
  return text.length;
}

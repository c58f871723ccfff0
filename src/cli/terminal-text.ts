/** Stored text on a terminal: an escape sequence in a thought must not act on it. */
import { reveal } from '../record/reveal.ts';

export { reveal as terminalText } from '../record/reveal.ts';

/** On one line: newlines and tabs become spaces. */
export function terminalLine(text: string): string {
  return reveal(text.replace(/\r\n|[\r\n\t]/g, ' '));
}

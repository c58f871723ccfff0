/** Stored text on a terminal: an escape sequence in a thought must not act on it. */
import { visibleText } from '../record/visible-text.ts';

export { visibleText as terminalText } from '../record/visible-text.ts';

/** On one line: newlines and tabs become spaces. */
export function terminalLine(text: string): string {
  return visibleText(text.replace(/\r\n|[\r\n\t]/g, ' '));
}

/**
 * Stored text on a terminal. An escape sequence in a thought must not act on the terminal, and what a reader of the
 * terminal cannot see (bidirectional overrides, zero-width characters) must not hide in what a person approves.
 */

/** Controls, format characters, line and paragraph separators, private use, lone surrogates; not tab and newline. */
const UNSEEN = /(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}]/gu;

/** Several lines stay several lines; what cannot be seen stands as `<U+001B>`. */
export function terminalText(text: string): string {
  return text.replace(UNSEEN, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
  });
}

/** On one line: newlines and tabs become spaces. */
export function terminalLine(text: string): string {
  return terminalText(text.replace(/\r\n|[\r\n\t]/g, ' '));
}

/**
 * Stored text as a person reads it. What a reader cannot see (escape sequences, bidirectional overrides, zero-width
 * characters) must neither act on what shows it nor hide in what a person approves.
 */

/**
 * Controls, format characters, fillers and variation selectors (`Default_Ignorable_Code_Point`), line and paragraph
 * separators, private use, lone surrogates. Not tab and newline, nor the one selector by which a picture gets its colours:
 * a row of selectors can spell a text that a model reads and nobody sees.
 */
export const UNSEEN =
  /(?![\t\n])(?!(?<=\p{Extended_Pictographic})\ufe0f)[\p{Cc}\p{Cf}\p{DI}\p{Zl}\p{Zp}\p{Co}\p{Cs}]/gu;

/** Several lines stay several lines; what cannot be seen stands as `<U+001B>`. */
export function reveal(text: string): string {
  return text.replace(UNSEEN, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
  });
}

/** On one line: newlines and tabs become spaces. */
export function revealLine(text: string): string {
  return reveal(text.replace(/\r\n|[\r\n\t]/g, ' '));
}

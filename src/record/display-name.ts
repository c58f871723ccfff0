/** A person's name as others read it. */
import { reveal } from './reveal.ts';

/** Characters. */
const LONGEST = 64;

/** The name in one line, cut to 64 characters; `null` when nothing of it is left or some of it could not be seen. */
export function displayNameOf(text: string): string | null {
  const line = text.normalize('NFC').replace(/\s+/g, ' ').trim();
  const name = [...line].slice(0, LONGEST).join('').trimEnd();
  return name === '' || reveal(line) !== line ? null : name;
}

/** Stored text on a terminal: an escape sequence in a thought must not act on it. */
export { reveal as terminalText, revealLine as terminalLine } from '../record/reveal.ts';

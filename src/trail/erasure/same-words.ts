/** Whether words of an erased text stand in another one. */
import { wordsOf } from '../../record/similarity.ts';

/** Words in a row that two texts do not share by chance. */
const TELLING = 6;

/** Whether `text` holds the whole of `erased`, case and punctuation aside. */
export function holdsText(text: string, erased: string): boolean {
  const words = wordsOf(erased);
  if (words.length === 0) return erased.trim() !== '' && text.includes(erased.trim());
  return ` ${wordsOf(text).join(' ')} `.includes(` ${words.join(' ')} `);
}

/** Whether `text` holds all of `erased`, or several words of it in a row. */
export function quotesText(text: string, erased: string): boolean {
  if (holdsText(text, erased)) return true;
  const said = ` ${wordsOf(text).join(' ')} `;
  const words = wordsOf(erased);
  return words.some((_, at) => {
    const run = words.slice(at, at + TELLING);
    return run.length === TELLING && said.includes(` ${run.join(' ')} `);
  });
}

/**
 * The value a text states, as far as spelling goes: two texts that differ in letter case, white space, punctuation,
 * invisible characters, marks or look-alike letters have the same one (docs/format.md, "Tombstones").
 *
 * What changes a meaning stays: words (so every negation), numbers with their signs, points and separators, units,
 * percent and currency signs, comparisons, and pictures that say no.
 */
import { replaceCased, replaceLunate, skeletonOf } from './confusables.ts';

/** Scripts that write no blanks between words. */
const UNSPACED = String.raw`\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}`;

const TOKEN = new RegExp(
  [
    // A number, with its sign and whatever joins its digits: "-1.5", "10:30", "2026-11-30", "1/2".
    String.raw`(?:(?<![\p{L}\p{N}])[+-])?(?:(?<![.\p{N}])\.)?\p{N}+(?:[\p{P}\p{S}]\p{N}+)*`,
    String.raw`[${UNSPACED}]\p{M}*`,
    String.raw`(?:(?![${UNSPACED}])[\p{L}\p{M}])+`,
    // Lines of tables and struck-out words are no mathematics.
    String.raw`(?![|~])[\p{Sm}\p{Sc}%‰‱°]`,
  ].join('|'),
  'gu',
);

/** Combining marks that any letter may carry; those of one script (vowel signs, harakat) are part of its words. */
const MARKS =
  /(?<=[\p{L}\p{M}\p{N}])(?:[\u0300-\u036f]|[\u0483-\u0489]|[\u1ab0-\u1aff]|[\u1dc0-\u1dff]|[\u20d0-\u20ff]|[\ufe20-\ufe2f])+/gu;

/** Words, numbers and signs, joined by single blanks; empty when nothing is left. */
export function normaliseValue(text: string): string {
  return tokensOf(text).join(' ');
}

/** See {@link normaliseValue}. Of scripts without blanks each character is a word. */
export function tokensOf(text: string): readonly string[] {
  return foldedTokens(cleanText(text));
}

/** NFKC without what nobody sees, with one kind of dash and apostrophe; letters and their case as they were. */
export function cleanText(text: string): string {
  const spelt = replaceLunate(withoutInvisible(text))
    .replace(/[‘’´ʹʻʼʽ`]/gu, "'")
    // NFKC would make other numbers of "10²" and "1½".
    .replace(/(?<=\d)[²³¹⁰⁴-⁹]+/gu, (raised) => `^${raised.normalize('NFKC')}`)
    .replace(/(?<=\d)(?=[¼-¾⅐-⅞])/gu, ' ');
  return withoutInvisible(spelt.normalize('NFKC'))
    .replace(/[\p{Pd}−˗]/gu, '-')
    .replace(/[⁄∕]/gu, '/')
    .replace(/[❌✗✘☒🚫⛔✖❎👎🙅]|!(?=[\p{L}(=])/gu, '¬');
}

/** Words, numbers and signs of what {@link cleanText} answered. */
export function foldedTokens(visible: string): readonly string[] {
  // By way of capitals, which folds more: "ß" and "ss", "ı" and "i".
  const folded = replaceCased(visible).toUpperCase().toLowerCase();
  const plain = skeletonOf(folded.normalize('NFD').replace(MARKS, '').normalize('NFC'));
  return plain.replace(/(?<=\p{L})'(?=\p{L})/gu, '').match(TOKEN) ?? [];
}

/** A token that is a number. */
export function isNumber(token: string): boolean {
  return /^[+-]?\.?\p{N}/u.test(token);
}

/** Zero-width characters, soft hyphens, bidi controls, variation selectors, tags and other controls. */
function withoutInvisible(text: string): string {
  return text.replace(/[\u0085\u2800]/gu, ' ').replace(/[\p{Default_Ignorable_Code_Point}\p{Cf}]|(?!\s)\p{Cc}/gu, '');
}

/**
 * Letters of Latin, Greek and Cyrillic that are taken for one another, each with the plain Latin letter it passes for.
 *
 * A small table of our own, after the idea of skeletons in Unicode TS 39, section 4. It works on folded text without
 * marks, so that the same text in capitals has the same skeleton: "в" stands for the "b" that "В" passes for. Digits are
 * in no pair: numbers stay what they are. Full-width and mathematical letters are NFKC's affair.
 */

const PAIRS: Readonly<Record<string, string>> = {
  a: 'аαɑᴀ',
  b: 'вьβʙƀɓƅҍ',
  c: 'сᴄƈȼҫ',
  d: 'ԁᴅđɗɖ',
  e: 'еεᴇɇ',
  f: 'ꜰƒғ',
  g: 'ɡɢɠǥԍ',
  h: 'нһηʜħɦңӈҥӊ',
  j: 'јᴊɉʝ',
  k: 'кκᴋƙқҝҟӄԟ',
  // Capital "I" passes for small "l", so the two are one letter here.
  l: 'iіιıɩɪɨʟłƚɫɬӏǀ',
  m: 'мᴍɱӎ',
  n: 'пνɴɲ',
  o: 'оοᴏøɵ',
  p: 'рρᴘƥҏ',
  q: 'ԛʠ',
  r: 'гʀɍ',
  s: 'ѕꜱʂ',
  t: 'тτᴛŧƭҭ',
  u: 'ᴜʉ',
  v: 'ѵᴠʋ',
  w: 'ԝѡωᴡⱳ',
  x: 'хχҳӽӿ',
  y: 'уүұγυʏɏƴ',
  z: 'ζᴢƶʐ',
  ae: 'æӕ',
  oe: 'œ',
  // Final and medial sigma are one letter.
  σ: 'ς',
};

const SKELETON: ReadonlyMap<string, string> = new Map(
  Object.entries(PAIRS).flatMap(([plain, alike]) => [...alike].map((letter) => [letter, plain] as const)),
);

/** NFKC makes other letters of these. */
const LUNATE: Readonly<Record<string, string>> = { ϲ: 'c', Ϲ: 'C', ϳ: 'j' };

/** Greek letters whose capital and small form pass for different Latin ones. */
const CASED: Readonly<Record<string, string>> = { Η: 'H', Ν: 'N', Υ: 'Y', Μ: 'M', η: 'n', ν: 'v', υ: 'u' };

/** The skeleton of folded text without marks. */
export function skeletonOf(folded: string): string {
  return folded.replace(/[i\u0080-\u{10ffff}]/gu, (letter) => SKELETON.get(letter) ?? letter);
}

/** Before NFKC, which would make a sigma of a letter that passes for "c". */
export function replaceLunate(text: string): string {
  return text.replace(/[ϲϹϳ]/gu, (letter) => LUNATE[letter] ?? letter);
}

/** Before folding, which loses the case: what in a mostly Latin word passes for a Latin letter of its own case. */
export function replaceCased(text: string): string {
  return text.replace(/[\p{L}\p{M}]*[ΗΝΥΜηνυ][\p{L}\p{M}]*/gu, (word) =>
    countOf(word, /\p{sc=Latin}/gu) < countOf(word, /\p{sc=Greek}/gu)
      ? word
      : word.replace(/[ΗΝΥΜηνυ]/gu, (letter) => CASED[letter] ?? letter),
  );
}

function countOf(text: string, kind: RegExp): number {
  return text.match(kind)?.length ?? 0;
}

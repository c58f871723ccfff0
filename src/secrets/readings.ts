/** What a text reads as once nothing in it is invisible or escaped: a character inside a token hides it from every pattern. */

const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu;

/** Of letters that look the same without; decomposed first. */
const MARKS = /[\u0300-\u036f]/g;
/** Of Markdown (`ghp\_`), and of JSON within a string of JSON, however often. */
const ESCAPES = /(?<!\\)\\+(?=["'`_*.~-])/g;

/** The text as it is; where that differs, also without invisible characters, marks, full-width letters and backslashes. */
export function readingsOf(text: string): readonly string[] {
  // Plain ASCII, which nearly every text is.
  const visible = /\P{ASCII}/u.test(text)
    ? text.replace(INVISIBLE, '').normalize('NFKD').replace(MARKS, '').normalize('NFC')
    : text;
  const plain = visible.replace(ESCAPES, '');
  return [...new Set([text, visible, plain])];
}

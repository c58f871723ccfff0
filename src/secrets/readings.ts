/** What a text reads as once nothing in it is invisible: an invisible character inside a token hides it from every pattern. */

const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu;

/** The text as it is; where that differs, also without invisible characters and with full-width letters made plain. */
export function readingsOf(text: string): readonly string[] {
  // Plain ASCII, which nearly every text is.
  if (!/\P{ASCII}/u.test(text)) return [text];
  const visible = text.replace(INVISIBLE, '').normalize('NFKC');
  return visible === text ? [text] : [text, visible];
}

/** Texts that a scope keeps out: files that name a value by its digest and hold no text. */
import { TRAILS_DIR } from '../record/paths.ts';
import { ancestors } from '../record/scope.ts';
import { textDigest } from '../record/text-digest.ts';
import type { Index } from '../store/index/index.ts';
import { inForce } from './settings.ts';

/**
 * Whether `tombstones/<hex SHA-256 of the body>.yaml` is in force in the scope or in one above. One that was signed and
 * cannot be found any more still keeps its text out.
 */
export function isKeptOut(index: Index, text: { readonly scope: string; readonly body: string }): boolean {
  const digest = textDigest(text.body);
  return [text.scope, ...ancestors(text.scope)].some(
    (holder) => inForce(index, `${TRAILS_DIR}/${holder}/tombstones/${digest}.yaml`) !== null,
  );
}

import { isOperatorByKey, type Principal } from '../record/principal.ts';
import type { View } from '../record/visibility.ts';

/**
 * Views in which a write finds its target. Lineage is among them so that a write to a frozen thought the caller can
 * read is answered "frozen" and not "not found"; an operator's key may work on anyone's.
 */
export function writableViews(principal: Principal): readonly View[] {
  return isOperatorByKey(principal) ? ['history'] : ['authoring', 'lineage'];
}

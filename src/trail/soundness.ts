/** What a caller is told of faults in the record. */
import { readsEverywhere } from '../record/grants.ts';
import type { Principal } from '../record/principal.ts';
import type { Index } from '../store/index/index.ts';

/**
 * Whether no fault is known. Of the logs everybody is told; of files whoever reads everywhere, since those are counted over
 * every scope.
 */
export function seesNoFault(
  index: Pick<Index, 'counts'>,
  { principal, isLogDamaged }: { readonly principal: Principal; readonly isLogDamaged: boolean },
): boolean {
  if (isLogDamaged || !readsEverywhere(principal)) return !isLogDamaged;
  const { unverified, problems } = index.counts();
  return unverified === 0 && problems === 0;
}

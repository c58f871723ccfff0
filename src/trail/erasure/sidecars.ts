/** Which sidecars must go so that nothing at the head tells whether a guess of the text is right. */
import { isErasable, isFileOf } from '../../ledger/index.ts';
import type { Index, IndexedEvent } from '../../store/index/index.ts';

/** One `erase` event to be: a thought, and the events whose sidecars it answers for. */
export interface SidecarsOf {
  readonly thought_id: string;
  readonly events: readonly IndexedEvent[];
}

/**
 * First those of the thought itself, then those of earlier erasures that hold a digest of it: an erasure restates what
 * it removed, and of another thought beside the erased one also how its file is.
 */
export function sidecarsThatGo(index: Index, id: string): readonly SidecarsOf[] {
  const about = index.eventsOfThought(id);
  const own = about.filter(({ envelope: { _local: local } }) => {
    if (local === undefined || local.erased_by !== undefined || !isErasable(local.verb)) return false;
    return local.verb !== 'erase' || local.thought_id !== id;
  });
  const telling = about.filter(({ envelope: { _local: local } }) =>
    local?.files?.some((file) => isFileOf(file, id) && isDigest(file.after) && local.verb !== 'erase'),
  );
  const erasers = new Set(telling.flatMap(({ envelope }) => envelope._local?.erased_by ?? []));
  const restated = [...erasers].flatMap((hash) => restatedOf(index, hash));
  return own.length === 0 ? restated : [{ thought_id: id, events: own }, ...restated];
}

/** The erasure itself and all that it answers for. */
function restatedOf(index: Index, hash: string): readonly SidecarsOf[] {
  const eraser = index.eventByHash(hash);
  const thought_id = eraser?.envelope._local?.thought_id;
  if (eraser === null || thought_id === undefined) return [];
  const stated = index
    .eventsOfThought(thought_id)
    .filter(({ envelope }) => envelope._local?.erased_by === hash && envelope._local !== undefined);
  return [{ thought_id, events: [eraser, ...stated] }];
}

function isDigest(after: string | null): boolean {
  return after !== null && after !== '';
}

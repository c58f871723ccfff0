/** What takes a tombstone away. */
import type { Index } from '../../store/index/index.ts';
import type { ChangeEvent } from '../write.ts';
import type { TombstoneInForce } from './in-force.ts';

export function liftEvent(
  index: Pick<Index, 'setting'>,
  { path, read, notice: { tombstone, scope } }: TombstoneInForce,
  reason: string,
): ChangeEvent {
  const thought = read === null ? {} : { thought_id: read.file.thought_id };
  return {
    verb: 'lift',
    informed_by: [],
    local: { scope, ...thought, tombstone, reason, kind: 'human' },
    files: [{ path, before: index.setting(path), after: null }],
  };
}

/** Whose rules a decision is held to: the thought's own scope, and that of what an approval would retire. */
import type { SourceType } from '../record/thought.ts';
import type { Index } from '../store/index/index.ts';
import type { StoredThought } from '../store/index/types.ts';
import { legacyPredecessor } from './legacy-predecessor.ts';

export interface Place {
  readonly scope: string;
  readonly source_type: SourceType;
}

/**
 * A text may replace one of another scope (`change_scope`): whoever writes it chooses the scope, and must not choose
 * thereby who decides about what stands.
 */
export function placesOf(index: Index, row: StoredThought): readonly Place[] {
  const { supersedes_id: id, supersedes_scope: scope } = row.thought;
  const linked = id === undefined ? legacyPredecessor(index, row) : null;
  const replaced = id === undefined ? (linked === null ? [] : [linked]) : index.thoughtById(id);
  const standing = replaced.filter(
    (other) => (scope === undefined || other.scope === scope) && other.thought.validation_status === 'approved',
  );
  return [row, ...standing].map((at) => ({ scope: at.scope, source_type: at.thought.source_type }));
}

/** What a replacement written by FAVA before 0.7 stands for: only the original says so (fava.md 3.3). */
import type { Index } from '../store/index/index.ts';
import type { StoredThought } from '../store/index/types.ts';

/**
 * The approved, current thought whose early back-link names this one; `null` when none does, when several do, or when
 * the link could mean another thought of the same id.
 */
export function legacyPredecessor(index: Index, successor: StoredThought): StoredThought | null {
  const { thought, scope } = successor;
  if (thought.supersedes_id !== undefined) return null;
  const isAlone = index.thoughtById(thought.thought_id).length === 1;
  const [linked, second] = index.thoughtsLinkedTo(thought.thought_id).filter((row) => {
    const { superseded_scope, validation_status } = row.thought;
    const isMeant = superseded_scope === undefined ? isAlone : superseded_scope === scope;
    return isMeant && row.held && !row.superseded && validation_status === 'approved';
  });
  return linked === undefined || second !== undefined ? null : linked;
}

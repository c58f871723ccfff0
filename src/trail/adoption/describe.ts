/** What a thought is once it is adopted, read off the index as any reader would see it. */
import { isOpen } from '../../record/lifecycle.ts';
import { VISIBILITY_CLASSES, visibilityClass } from '../../record/visibility.ts';
import type { Index } from '../../store/index/index.ts';
import type { StoredThought } from '../../store/index/types.ts';
import type { Candidate } from './candidates.ts';
import type { AdoptRecord, Becomes } from './report.ts';

/** @param before The status its last event left it in, when there was one. */
export function describe(index: Index, candidate: Candidate, before: AdoptRecord['status_before']): AdoptRecord {
  const { path, change } = candidate;
  const row = index.thoughtByPath(path);
  if (row === null || !row.held) {
    return { path, becomes: 'skipped', why: 'changed_meanwhile: run "waymark adopt" again' };
  }
  const { thought_id, validation_status: status } = row.thought;
  return {
    path,
    thought_id,
    status,
    ...(before === undefined || before === status ? {} : { status_before: before }),
    change,
    ...standing(index, row),
  };
}

function standing(index: Index, row: StoredThought): { becomes: Becomes; why: string } {
  const { validation_status: status, superseded_by: successor } = row.thought;
  switch (visibilityClass(row.facts)) {
    case VISIBILITY_CLASSES.governed: {
      if (successor === undefined) return { becomes: 'governed', why: 'approved' };
      const why = `approved, and current: its replacement "${successor}" ${successorState(index, row)}`;
      return { becomes: 'governed', why };
    }
    case VISIBILITY_CLASSES.retired:
      return { becomes: 'retired', why: status === 'tombstoned' ? status : `replaced by "${successor}"` };
    default: {
      if (!isOpen(status)) return { becomes: 'rejected', why: status };
      const isFiled = row.namespace === 'drafts' || row.namespace === 'intents';
      return { becomes: 'open', why: isFiled ? status : `${status}, although it lies in ${row.namespace}/` };
    }
  }
}

/** Why a back-link retires nothing (fava.md 3.1). */
function successorState(index: Index, { thought }: StoredThought): string {
  const { superseded_by = '', superseded_scope } = thought;
  const found = index
    .thoughtById(superseded_by)
    .filter((row) => superseded_scope === undefined || row.scope === superseded_scope);
  const approved = found.filter((row) => row.held && row.thought.validation_status === 'approved');
  if (approved.length > 1) return `is approved ${approved.length} times, so it names none`;
  return found[0] === undefined ? 'is not here' : `is ${found[0].thought.validation_status}`;
}

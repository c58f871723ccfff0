/** Stages the back-link on the thought that an approved replacement retires. */
import type { EventFile, Hash } from '../ledger/types.ts';
import { isFrozen } from '../record/lifecycle.ts';
import { type Outcome, ok, type Refusal, refuse } from '../record/outcome.ts';
import type { Draft } from '../store/draft.ts';
import type { StoredThought } from '../store/index/types.ts';
import { claimEventOf } from './causes.ts';
import { legacyPredecessor } from './legacy-predecessor.ts';
import { checkHeld, replaceFile } from './replace-file.ts';

export interface RetiredPredecessor {
  readonly files: readonly EventFile[];
  /** The record that fixed the predecessor's claim: what the approval revises. */
  readonly event: Hash;
}

/**
 * `null` when the thought replaces nothing. Exactly one current predecessor is needed; competing approvals refuse.
 */
export async function retirePredecessor(
  draft: Draft,
  successor: StoredThought,
): Promise<Outcome<RetiredPredecessor | null>> {
  const { supersedes_id: id, supersedes_scope: scope } = successor.thought;
  if (id === undefined) {
    const linked = legacyPredecessor(draft.index, successor);
    return linked === null ? ok(null) : retire(draft, linked, successor);
  }
  const rows = draft.index.thoughtById(id).filter((row) => scope === undefined || row.scope === scope);
  const [row, second] = rows;
  if (row === undefined) return conflict(`The thought it replaces, "${id}", is not in scope "${scope ?? '(any)'}"`);
  if (second !== undefined) return conflict(`The thought it replaces, "${id}", exists ${rows.length} times`);
  // One that is approved anew had retired it before.
  const isRetired = row.superseded && row.thought.superseded_by === successor.thought.thought_id;
  if (isRetired && successor.thought.validation_status === 'approved') return ok(null);
  if (row.superseded) {
    return conflict(`Thought "${id}" already has an approved replacement`);
  }
  if (row.thought.validation_status !== 'approved' && isFrozen(row)) {
    return conflict(`The thought it replaces, "${id}", is ${row.thought.validation_status} and no longer current`);
  }
  return retire(draft, row, successor);
}

async function retire(
  draft: Draft,
  row: StoredThought,
  successor: StoredThought,
): Promise<Outcome<RetiredPredecessor>> {
  const held = checkHeld(row);
  if (!held.ok) return held;
  const { thought_id: id } = row.thought;
  const thought = {
    ...row.thought,
    superseded_by: successor.thought.thought_id,
    superseded_scope: successor.scope,
  };
  const files = await replaceFile(draft, { row, thought });
  if (!files.ok) return files;
  const event = claimEventOf(draft.index, id) ?? row.event;
  if (event === undefined) return conflict(`No signed event says who saved thought "${id}"`);
  return ok({ files: files.value, event });
}

function conflict(message: string): Refusal {
  return refuse('conflict', message, {
    rule: 'predecessor_not_current',
    next: 'Reject this proposal, or ask for changes: it should replace the thought that is current now',
  });
}

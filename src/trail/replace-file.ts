/** Rewrites the file of an existing thought, refusing to overwrite what a person has edited. */
import type { EventFile } from '../ledger/types.ts';
import { QUARANTINED } from '../record/lifecycle.ts';
import { type Outcome, ok, refuse } from '../record/outcome.ts';
import { thoughtPath } from '../record/paths.ts';
import type { Namespace, Thought } from '../record/thought.ts';
import type { Draft } from '../store/draft.ts';
import type { StoredThought } from '../store/index/types.ts';
import { encodeChecked } from './stage.ts';

export interface ReplaceOptions {
  /** Folder the thought moves to; absent: it stays. */
  readonly namespace?: Namespace;
}

/** The event files of the change: one, or two when the file moves. */
export async function replaceFile(
  draft: Draft,
  change: { readonly row: StoredThought; readonly thought: Thought },
  options: ReplaceOptions = {},
): Promise<Outcome<readonly EventFile[]>> {
  const { row, thought } = change;
  const edited = await draft.uncommittedEdit(new Map([[row.path, row.blob]]));
  if (edited !== null) {
    return refuse('uncommitted_edit', `File "${edited}" was edited in the working tree and not committed`, {
      next: `Commit it ("git commit ${edited}") or discard it ("git checkout -- ${edited}"), then call again`,
    });
  }
  const bytes = encodeChecked(thought);
  if (!bytes.ok) return bytes;
  const before = await draft.bytesOf(row.path, row.blob);
  const path =
    options.namespace === undefined ? row.path : thoughtPath(row.scope, options.namespace, thought.thought_id);
  const names = { thought_id: thought.thought_id, status: thought.validation_status };
  if (path === row.path) return ok([{ path, before, after: bytes.value, ...names }]);
  return ok([
    { path: row.path, before, after: null, ...names },
    { path, before: null, after: bytes.value, ...names },
  ]);
}

/** A thought whose file the ledger does not back is not worked on: nobody would know what was decided. */
export function checkHeld(row: StoredThought): Outcome<null> {
  if (row.held) return ok(null);
  if (row.reason === QUARANTINED) {
    return refuse('conflict', `Thought "${row.thought.thought_id}" is in quarantine`, {
      next: 'Decide about it first, with "waymark review"',
    });
  }
  return refuse('conflict', `Thought "${row.thought.thought_id}" is unverified: ${row.reason ?? 'no_event'}`, {
    next: 'Restore the file from its last signed version; "waymark verify" names it',
  });
}

/** As {@link checkHeld}, for a decision, which is what a thought in quarantine waits for. */
export function checkDecidable(row: StoredThought): Outcome<null> {
  return row.reason === QUARANTINED ? ok(null) : checkHeld(row);
}

/** Puts a new draft, with its scope if that is new, into an operation. */
import { renderScopeSettings } from '../config/index.ts';
import type { EventFile } from '../ledger/types.ts';
import { encodeThought } from '../record/codec/index.ts';
import { checkLimits } from '../record/limits.ts';
import { type Outcome, ok, type Refusal, refuse } from '../record/outcome.ts';
import { governedPath, newScopeFiles, scopeSettingsPath, thoughtPath } from '../record/paths.ts';
import { caseTwin } from '../record/scope.ts';
import type { Namespace, Thought } from '../record/thought.ts';
import { blobIdOf } from '../store/blob-id.ts';
import type { Draft } from '../store/draft.ts';
import type { Index } from '../store/index/index.ts';
import { scopeSettings } from './settings.ts';

export function encodeChecked(thought: Thought): Outcome<Uint8Array> {
  // Twice: the codec throws on what no file can hold, and the size of what it writes is a limit of its own.
  const unstorable = checkLimits(thought, 0);
  if (unstorable !== null) return unstorable;
  const text = encodeThought({ ...thought, body: '' });
  return checkLimits({ ...thought, body: '' }, Buffer.byteLength(text)) ?? ok(Buffer.from(text + thought.body, 'utf8'));
}

export interface Placement {
  readonly scope: string;
  readonly namespace: Namespace;
  /** The argument that names the scope. @default trail_name */
  readonly field?: string;
}

/** The event files of a new thought: the file itself and, in a new scope, the scope's own. */
export async function stageNewThought(
  draft: Draft,
  thought: Thought,
  place: Placement,
): Promise<Outcome<readonly EventFile[]>> {
  const bytes = encodeChecked(thought);
  if (!bytes.ok) return bytes;
  const scopeFiles = await stageScope(draft, place);
  if (!scopeFiles.ok) return scopeFiles;
  const file: EventFile = {
    path: thoughtPath(place.scope, place.namespace, thought.thought_id),
    before: null,
    after: bytes.value,
    thought_id: thought.thought_id,
    status: thought.validation_status,
  };
  return ok([file, ...scopeFiles.value]);
}

/** Refuses a new scope that differs from an existing one only in case. */
export function checkTwin(index: Index, place: Pick<Placement, 'scope' | 'field'>): Refusal | null {
  const { scope, field = 'trail_name' } = place;
  if (index.setting(scopeSettingsPath(scope)) !== null) return null;
  // Not named: the twin may hold only what the caller must not see.
  if (caseTwin(scope, scopeNames(index)) === null) return null;
  return refuse('invalid', `Scope "${scope}" differs from an existing one only in upper and lower case`, {
    field,
    next: 'Use the spelling that list_scopes shows, or another name',
  });
}

function scopeNames(index: Index): readonly string[] {
  return index.scopes().map((known) => known.scope);
}

async function stageScope(draft: Draft, place: Placement): Promise<Outcome<readonly EventFile[]>> {
  const { index } = draft;
  const { scope } = place;
  if (index.setting(scopeSettingsPath(scope)) !== null) return ok([]);
  const twin = checkTwin(index, place);
  if (twin !== null) return twin;
  if (scopeNames(index).includes(scope)) return ok([]);
  const files = newScopeFiles(scope, renderScopeSettings(scope, scopeSettings(index, scope)));
  // A person may have prepared the scope's settings by hand, stricter ones perhaps.
  const prepared = await draft.uncommittedEdit(new Map([...files].map(([path, bytes]) => [path, blobIdOf(bytes)])));
  if (prepared !== null) {
    return refuse('uncommitted_edit', `File "${prepared}" lies in the working tree and is not committed`, {
      next: governedPath(prepared)
        ? `Ask an operator to run "waymark accept ${prepared}", or move it away, then call again`
        : `Commit it ("git add ${prepared}", "git commit") or move it away, then call again`,
    });
  }
  return ok([...files].map(([path, after]) => ({ path, before: null, after })));
}

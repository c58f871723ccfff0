/** Replaces the body of an open thought; a proposal that is edited becomes a draft again. */
import { checkEdit, TRANSITIONS } from '../record/lifecycle.ts';
import { type Outcome, ok } from '../record/outcome.ts';
import { parseScope } from '../record/scope.ts';
import type { Thought } from '../record/thought.ts';
import { claimEventOf } from './causes.ts';
import type { TrailContext } from './context.ts';
import { findThought } from './find-thought.ts';
import { causesElsewhere, causesInAnswer, causesInSidecar, checkCauses, resolveCauses } from './named-causes.ts';
import { checkHeld, replaceFile } from './replace-file.ts';
import { summarize } from './summary.ts';
import type { UpdateInput, WriteResult } from './types.ts';
import { writableViews } from './writable-views.ts';
import { inputOf, write } from './write.ts';

export async function update(context: TrailContext, input: UpdateInput): Promise<Outcome<WriteResult>> {
  const { principal } = context;
  const scope = parseScope(input.trail_name);
  if (!scope.ok) return scope;
  const malformed = checkCauses(input.informed_by);
  if (malformed !== null) return malformed;
  const into = { scope: scope.value };
  const call = { verb: 'update', input: inputOf(input), idempotencyKey: input.idempotency_key, into };
  const elsewhere = await causesElsewhere(context, input.informed_by);
  return write<WriteResult>(context, call, async (draft) => {
    const views = writableViews(principal);
    const found = findThought(draft.index, input.thought_id, { principal, views, scope: scope.value });
    if (!found.ok) return found;
    const row = found.value;
    const frozen = checkEdit(row);
    if (frozen !== null) return frozen;
    const held = checkHeld(row);
    if (!held.ok) return held;
    const thought = editedThought(row.thought, input.content);
    const files = await replaceFile(draft, { row, thought });
    if (!files.ok) return files;
    const causes = resolveCauses(draft.index, input.informed_by, { principal, elsewhere });
    if (!causes.ok) return causes;
    const cause = claimEventOf(draft.index, thought.thought_id);
    return ok({
      events: [
        {
          verb: 'update',
          informed_by: [...(cause === null ? [] : [cause]), ...causes.value.hashes],
          local: {
            scope: row.scope,
            thought_id: thought.thought_id,
            status: thought.validation_status,
            ...causesInSidecar(causes.value),
          },
          files: files.value,
        },
      ],
      message: `Update thought ${thought.thought_id} in ${row.scope} ${row.namespace}/`,
      answer: {
        status: 'ok',
        thought: summarize(thought, row.scope, { principal }),
        message:
          row.thought.validation_status === 'proposed'
            ? 'Updated. It was proposed and is a draft again: propose it anew when it is ready.'
            : 'Updated.',
        ...causesInAnswer(causes.value),
      },
    });
  });
}

/** A verdict was about the earlier text; the ledger keeps it, the file does not. */
function editedThought(thought: Thought, body: string): Thought {
  const { trust_gate: _, ...extra } = thought.metadata.extra;
  return {
    ...thought,
    validation_status: TRANSITIONS.update.to,
    metadata: { ...thought.metadata, extra },
    body,
  };
}

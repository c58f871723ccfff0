/** Withdraws one thought: nobody recalls it any more; its file and its history stay. */
import { claimDigest } from '../record/claim.ts';
import { type Outcome, ok } from '../record/outcome.ts';
import { parseScope } from '../record/scope.ts';
import { claimEventOf } from './causes.ts';
import { checkReason } from './check-reason.ts';
import type { TrailContext } from './context.ts';
import { findThought } from './find-thought.ts';
import { checkOperator } from './guard.ts';
import { checkDecidable, replaceFile } from './replace-file.ts';
import { summarize, summarizeStored } from './summary.ts';
import { keepOutEvents, keptOutNote } from './tombstones/keep-out.ts';
import type { ForgetInput, WriteResult } from './types.ts';
import { withdrawn } from './withdrawal.ts';
import { inputOf, write } from './write.ts';

/** Operator only. What the thought had replaced stays retired. */
export async function forget(context: TrailContext, input: ForgetInput): Promise<Outcome<WriteResult>> {
  const { principal } = context;
  const { thought_id: id, reason } = input;
  const refusal =
    checkOperator('Withdrawing a thought', principal) ??
    checkReason(reason, 'Say why nobody should rely on it any more');
  if (refusal !== null) return refusal;
  const scope = parseScope(input.trail_name);
  if (!scope.ok) return scope;
  const call = { verb: 'forget', input: inputOf(input), idempotencyKey: input.idempotency_key };
  return write<WriteResult>(context, call, async (draft) => {
    const found = findThought(draft.index, id, { principal, views: ['history'], scope: scope.value });
    if (!found.ok) return found;
    const row = found.value;
    const held = checkDecidable(row);
    if (!held.ok) return held;
    if (row.thought.validation_status === 'tombstoned') {
      const message = 'Already withdrawn; nothing changed.';
      return ok({ events: [], answer: { status: 'ok' as const, thought: summarizeStored(row), message } });
    }
    const thought = withdrawn(row.thought, { verb: 'forget', agentId: principal.agent_id, reason, now: draft.now });
    const files = await replaceFile(draft, { row, thought });
    if (!files.ok) return files;
    const { grounds, keep_out } = input;
    const kept = await keepOutEvents(draft, { row, reason, grounds, keep_out, context });
    if (!kept.ok) return kept;
    const cause = claimEventOf(draft.index, thought.thought_id);
    return ok({
      events: [
        {
          verb: 'forget' as const,
          informed_by: [cause, row.event].flatMap((hash) => hash ?? []),
          local: {
            scope: row.scope,
            thought_id: thought.thought_id,
            status: 'tombstoned' as const,
            reason,
            ...(grounds === undefined ? {} : { grounds }),
          },
          files: files.value,
          claim: claimDigest(row.thought),
        },
        ...kept.value,
      ],
      message: `Withdraw thought ${thought.thought_id} in ${row.scope}`,
      answer: {
        status: 'ok' as const,
        thought: summarize(thought, row.scope),
        message: `Withdrawn. Its file and history stay; what it had replaced stays retired.${keptOutNote(kept.value)}`,
      },
    });
  });
}

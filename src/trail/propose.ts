/** Puts a draft forward; it waits until somebody with the authority decides, which may be a model that is asked at once. */
import { claimDigest } from '../record/claim.ts';
import { checkPropose } from '../record/lifecycle.ts';
import { type Outcome, ok } from '../record/outcome.ts';
import { parseScope } from '../record/scope.ts';
import { claimEventOf } from './causes.ts';
import { checkClaim } from './check-claim.ts';
import type { TrailContext } from './context.ts';
import { decide } from './decide.ts';
import { findThought } from './find-thought.ts';
import { humanEgress, waits } from './gate/answers.ts';
import { judge } from './gate/judge.ts';
import { checkHeld, replaceFile } from './replace-file.ts';
import { summarize, summarizeStored } from './summary.ts';
import type { ProposeInput, ProposeResult } from './types.ts';
import { writableViews } from './writable-views.ts';
import { inputOf, write } from './write.ts';

export async function propose(context: TrailContext, input: ProposeInput): Promise<Outcome<ProposeResult>> {
  if (input.approval === 'human') {
    const { answer, ...called } = input;
    const { approval: _, ...rest } = called;
    const decision = answer ?? { verdict: 'approve' as const, unasked: true as const };
    // Called again, it is the same call whatever the person said.
    const call = { verb: 'approve', input: inputOf(called) };
    const decided = await decide(context, { ...rest, ...decision }, { call });
    return decided.ok ? ok({ ...decided.value, trust_gate_egress: humanEgress() }) : decided;
  }
  const { principal } = context;
  const scope = parseScope(input.trail_name);
  if (!scope.ok) return scope;
  const into = { scope: scope.value };
  const call = { verb: 'propose', input: inputOf(input), idempotencyKey: input.idempotency_key, into };
  const proposed = await write<ProposeResult>(context, call, async (draft) => {
    const views = writableViews(principal);
    const found = findThought(draft.index, input.thought_id, { principal, views, scope: scope.value });
    if (!found.ok) return found;
    const row = found.value;
    const step = checkPropose(row);
    if (!step.ok) return step;
    const changed = checkClaim(input.claim, row.thought);
    if (changed !== null) return changed;
    if (!step.value.changes || row.thought.validation_status === step.value.to) {
      return ok({
        events: [],
        answer: answerFor(summarizeStored(row, { principal }), row.thought.validation_status === 'approved'),
      });
    }
    const held = checkHeld(row);
    if (!held.ok) return held;
    const thought = { ...row.thought, validation_status: step.value.to };
    const files = await replaceFile(draft, { row, thought });
    if (!files.ok) return files;
    const cause = claimEventOf(draft.index, thought.thought_id);
    return ok({
      events: [
        {
          verb: 'propose',
          informed_by: cause === null ? [] : [cause],
          local: { scope: row.scope, thought_id: thought.thought_id, status: thought.validation_status },
          files: files.value,
          claim: claimDigest(thought),
        },
      ],
      message: `Propose thought ${thought.thought_id} in ${row.scope}`,
      answer: answerFor(summarize(thought, row.scope, { principal }), false),
    });
  });
  return proposed.ok ? ok(await judge(context, { scope: scope.value, answer: proposed.value })) : proposed;
}

function answerFor(thought: ProposeResult['thought'], isApproved: boolean): ProposeResult {
  if (isApproved) return { status: 'ok', thought, message: 'Already approved; nothing changed.' };
  return { status: 'proposed', thought, message: waits() };
}

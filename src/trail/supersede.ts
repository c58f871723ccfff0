/** Drafts a replacement; the thought it replaces stays current until the replacement is approved. */
import { isFrozen } from '../record/lifecycle.ts';
import { checkText, LIMITS } from '../record/limits.ts';
import { type Outcome, ok, refuse } from '../record/outcome.ts';
import { parseScope } from '../record/scope.ts';
import { checkDates, type Dates, datesIn, showDates, VALIDITY_FIELDS } from '../record/temporal.ts';
import type { Thought } from '../record/thought.ts';
import { isoFromMillis } from '../record/time.ts';
import type { StoredThought } from '../store/index/types.ts';
import { causesOf } from './causes.ts';
import type { TrailContext } from './context.ts';
import { findThought } from './find-thought.ts';
import { allow, checkAgentId } from './guard.ts';
import { causesElsewhere, causesInAnswer, causesInSidecar, checkCauses, resolveCauses } from './named-causes.ts';
import { rootWarning } from './save.ts';
import { stageNewThought } from './stage.ts';
import { summarize } from './summary.ts';
import type { ChangeScopeInput, SupersedeInput, SupersedeResult } from './types.ts';
import { inputOf, write } from './write.ts';

export async function supersede(context: TrailContext, input: SupersedeInput): Promise<Outcome<SupersedeResult>> {
  return replace(context, input, { verb: 'supersede', target: input.trail_name });
}

/** As {@link supersede}, into another scope. */
export async function changeScope(context: TrailContext, input: ChangeScopeInput): Promise<Outcome<SupersedeResult>> {
  return replace(context, input, { verb: 'change_scope', target: input.target_trail_name });
}

interface Replacement {
  readonly verb: 'supersede' | 'change_scope';
  readonly target: string;
}

async function replace(
  context: TrailContext,
  input: SupersedeInput,
  replacement: Replacement,
): Promise<Outcome<SupersedeResult>> {
  const { principal } = context;
  const allowed = allow(
    checkAgentId(input.agent_id, principal),
    checkText(input.reason, { field: 'reason', bytes: LIMITS.reasonBytes }),
    checkCauses(input.informed_by),
  );
  if (!allowed.ok) return allowed;
  const source = parseScope(input.trail_name);
  if (!source.ok) return source;
  const field = replacement.verb === 'supersede' ? 'trail_name' : 'target_trail_name';
  const target = parseScope(replacement.target, field);
  if (!target.ok) return target;
  const { verb } = replacement;
  const into = { scope: target.value, field };
  const call = { verb, input: inputOf(input), idempotencyKey: input.idempotency_key, into };
  const elsewhere = await causesElsewhere(context, input.informed_by);
  return write<SupersedeResult>(context, call, async (draft) => {
    const views = ['governed', 'lineage'] as const;
    const found = findThought(draft.index, input.thought_id, { principal, views, scope: source.value });
    if (!found.ok) return found;
    const row = found.value;
    const current = checkReplaceable(row);
    if (!current.ok) return current;
    const causes = resolveCauses(draft.index, input.informed_by, { principal, elsewhere });
    if (!causes.ok) return causes;
    const dates = checkDates(datesOf(row, { input, verb }));
    if (!dates.ok) return dates;
    const thought = successorOf(row, { context, input, now: draft.now, dates: dates.value });
    const files = await stageNewThought(draft, thought, { scope: target.value, namespace: 'drafts', field });
    if (!files.ok) return files;
    return ok({
      events: [
        {
          verb,
          informed_by: [...causesOf(draft.index, [row.thought.thought_id], principal), ...causes.value.hashes],
          local: {
            scope: target.value,
            thought_id: thought.thought_id,
            status: 'draft' as const,
            reason: input.reason,
            ...causesInSidecar(causes.value),
          },
          files: files.value,
        },
      ],
      message: `Propose replacement ${thought.thought_id} of ${row.thought.thought_id} in ${target.value}`,
      answer: {
        status: 'ok' as const,
        new_thought: summarize(thought, target.value),
        supersedes_thought_id: row.thought.thought_id,
        reason: input.reason,
        message: 'Saved as a draft. The thought it replaces stays current until this one is proposed and approved.',
        ...(verb === 'change_scope' ? { source_trail: source.value, target_trail: target.value } : {}),
        ...causesInAnswer(causes.value, rootWarning(target.value)),
      },
    });
  });
}

/** What is approved and current, and the caller's own open drafts (a draft saved in the wrong scope). */
function checkReplaceable(row: StoredThought): Outcome<null> {
  const id = row.thought.thought_id;
  if (row.superseded) {
    return refuse('conflict', `Thought "${id}" already has an approved replacement`, {
      rule: 'predecessor_not_current',
      next: `Get thought "${row.thought.superseded_by ?? id}" and replace the one that is current`,
    });
  }
  if (row.thought.validation_status === 'approved' || !isFrozen(row)) return ok(null);
  return refuse('frozen', `Thought "${id}" is ${row.thought.validation_status} and cannot be replaced`, {
    rule: 'frozen',
    next: 'Save a new thought',
  });
}

const NOT_INHERITED: readonly string[] = ['trust_gate', 'approval', 'reason', 'grounds', ...VALIDITY_FIELDS];

interface Successor {
  readonly context: TrailContext;
  readonly input: SupersedeInput;
  readonly now: number;
  readonly dates: Dates;
}

/** Another scope is no other claim, so its dates stay; a new text says anew from when and until when it is true. */
function datesOf(
  row: StoredThought,
  { input, verb }: { readonly input: Dates; readonly verb: Replacement['verb'] },
): Dates {
  return verb === 'supersede' ? input : { ...showDates(row.thought.metadata.extra), ...datesIn(input) };
}

/** Copies what describes the thought; approval and its grounds are not inherited (fava.md 3.3). */
function successorOf(row: StoredThought, { context, input, now, dates }: Successor): Thought {
  const { source_type, intent_ref, relationships, metadata, thought_id, confidence } = row.thought;
  const extra = Object.fromEntries(Object.entries(metadata.extra).filter(([key]) => !NOT_INHERITED.includes(key)));
  return {
    schema_version: 1,
    thought_id: context.newId(),
    parent_id: thought_id,
    supersedes_id: thought_id,
    supersedes_scope: row.scope,
    agent_id: context.principal.agent_id,
    confidence: input.confidence ?? confidence,
    source_type,
    validation_status: 'draft',
    ...(intent_ref === undefined ? {} : { intent_ref }),
    created_at: isoFromMillis(now),
    relationships,
    metadata: { ...metadata, extra: { ...extra, ...datesIn(dates), reason: input.reason } },
    body: input.content,
  };
}

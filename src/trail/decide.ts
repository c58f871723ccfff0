/** A person's verdict on one exact claim; an approved replacement retires its predecessor in the same transaction. */
import type { EventFile, Hash } from '../ledger/types.ts';
import { claimDigest } from '../record/claim.ts';
import { checkDecide } from '../record/lifecycle.ts';
import { checkText, LIMITS } from '../record/limits.ts';
import { type Outcome, ok, type Refusal, refuse } from '../record/outcome.ts';
import { promotionTarget } from '../record/routing.ts';
import { parseScope } from '../record/scope.ts';
import type { JsonObject, Thought } from '../record/thought.ts';
import type { Draft } from '../store/draft.ts';
import type { StoredThought } from '../store/index/types.ts';
import { claimEventOf, isAuthorOf } from './causes.ts';
import { checkClaim } from './check-claim.ts';
import type { TrailContext } from './context.ts';
import { findThought } from './find-thought.ts';
import { checkOperator } from './guard.ts';
import { checkDecidable, replaceFile } from './replace-file.ts';
import { retirePredecessor } from './retire-predecessor.ts';
import { scopeSettings } from './settings.ts';
import { summarize, summarizeStored } from './summary.ts';
import type { DecideInput, ProposeResult } from './types.ts';
import { inputOf, write } from './write.ts';

export async function decide(context: TrailContext, input: DecideInput): Promise<Outcome<ProposeResult>> {
  const { principal } = context;
  const refusal = checkOperator(`A person's decision ("${input.verdict}")`, principal) ?? checkReason(input);
  if (refusal !== null) return refusal;
  const scope = parseScope(input.trail_name);
  if (!scope.ok) return scope;
  const call = { verb: input.verdict, input: inputOf(input), idempotencyKey: input.idempotency_key };
  return write<ProposeResult>(context, call, async (draft) => {
    const found = findThought(draft.index, input.thought_id, { principal, views: ['history'], scope: scope.value });
    if (!found.ok) return found;
    const row = found.value;
    const held = checkDecidable(row);
    if (!held.ok) return held;
    const step = checkDecide(row, input.verdict);
    if (!step.ok) return step;
    // Before "nothing changed": what was approved may be another claim than the one reviewed.
    const changed = checkClaim(input.claim, row.thought);
    if (changed !== null) return changed;
    if (!step.value.changes) {
      return ok({
        events: [],
        answer: { status: 'ok', thought: summarizeStored(row), message: 'Already approved; nothing changed.' },
      });
    }
    const mixed = checkSeparation(draft, row, context);
    if (mixed !== null) return mixed;
    return stageVerdict(draft, row, { context, input, status: step.value.to });
  });
}

interface Verdicts {
  readonly context: TrailContext;
  readonly input: DecideInput;
  readonly status: Thought['validation_status'];
}

async function stageVerdict(draft: Draft, row: StoredThought, options: Verdicts) {
  const { context, input, status } = options;
  const { verdict } = input;
  const self = isAuthorOf(draft.index, row.thought, context.principal.agent_id);
  const thought: Thought = {
    ...row.thought,
    validation_status: status,
    metadata: { ...row.thought.metadata, extra: await verdictExtra(row.thought, { ...options, now: draft.now, self }) },
  };
  const isApproval = verdict === 'approve';
  const namespace = isApproval ? promotionTarget(thought.source_type, row.namespace) : row.namespace;
  const files = await replaceFile(draft, { row, thought }, { namespace });
  if (!files.ok) return files;
  const retired = isApproval ? await retirePredecessor(draft, row) : ok(null);
  if (!retired.ok) return retired;
  const cause = claimEventOf(draft.index, thought.thought_id);
  if (cause === null) {
    return refuse('conflict', `No signed event says who saved thought "${thought.thought_id}"`, {
      next: 'Run "waymark verify"',
    });
  }
  const last = row.event === undefined || row.event === cause ? [] : [row.event];
  const target: { revises: Hash } | { annotates: Hash } =
    retired.value === null ? { annotates: cause } : { revises: retired.value.event };
  const partner: readonly EventFile[] = retired.value === null ? [] : retired.value.files;
  return ok({
    events: [
      {
        verb: verdict,
        ...target,
        informed_by: [cause, ...last],
        local: {
          scope: row.scope,
          thought_id: thought.thought_id,
          status,
          kind: 'human' as const,
          ...(input.reason === undefined ? {} : { reason: input.reason }),
          ...(self ? { self: true as const } : {}),
          protection: await protectionOf(context),
        },
        files: [...files.value, ...partner],
        claim: claimDigest(row.thought),
      },
    ],
    message: `${VERDICT_TITLES[verdict]} thought ${thought.thought_id} in ${row.scope} ${namespace}/`,
    answer: {
      status: verdict === 'reject' ? ('rejected' as const) : ('ok' as const),
      thought: summarize(thought, row.scope),
      message: VERDICT_MESSAGES[verdict],
    },
  });
}

const VERDICT_TITLES = { approve: 'Approve', reject: 'Reject', request_changes: 'Ask for changes to' } as const;
const VERDICT_MESSAGES = {
  approve: 'Approved by a person; it is part of the record now.',
  reject: 'Rejected by a person; its author can read the reason.',
  request_changes: 'Back to draft; its author can read what is asked for.',
} as const;

/** FAVA's provenance blocks (fava.md 1.1): what the file itself says of the decision, for readers without the ledger. */
async function verdictExtra(
  thought: Thought,
  options: Verdicts & { readonly now: number; readonly self: boolean },
): Promise<JsonObject> {
  const { context, input, now, self } = options;
  const { approval: _, ...extra } = thought.metadata.extra;
  const actor = `human:${context.principal.agent_id}`;
  const at = new Date(now).toISOString().replace('Z', '000+00:00');
  const trust_gate = {
    reviewer: actor,
    reviewed_at: at,
    verdict: input.verdict,
    reasoning: input.reason ?? '',
    kind: 'human',
  };
  if (input.verdict !== 'approve') return { ...extra, trust_gate };
  const approval = {
    kind: 'human',
    actor,
    approved_at: at,
    ...(self ? { self: true } : {}),
    ...((await protectionOf(context)) === 'none' ? { protection: 'none' } : {}),
  };
  return { ...extra, trust_gate, approval };
}

async function protectionOf(context: TrailContext): Promise<'none' | 'scrypt'> {
  const signer = await context.signer();
  return signer.ok ? signer.value.protection : 'none';
}

function checkReason(input: DecideInput): Refusal | null {
  if (input.reason !== undefined) return checkText(input.reason, { field: 'reason', bytes: LIMITS.reasonBytes });
  if (input.verdict === 'approve') return null;
  return refuse('invalid', `Verdict "${input.verdict}" needs a "reason"`, {
    field: 'reason',
    next: 'Say why, so that the author can act on it',
  });
}

/** `separation: required` in a scope: the approver is not the author. */
export function checkSeparation(draft: Draft, row: StoredThought, context: TrailContext): Refusal | null {
  const isOwn = isAuthorOf(draft.index, row.thought, context.principal.agent_id);
  if (!isOwn || scopeSettings(draft.index, row.scope).separation !== 'required') return null;
  return refuse('authority', `Scope "${row.scope}" requires separation, and you are the author`, {
    rule: 'separation_required',
    next: 'Ask another operator to decide',
  });
}

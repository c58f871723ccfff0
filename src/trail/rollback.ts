/**
 * Returns one scope to an earlier point by decisions of today: one transaction, one event for each thought.
 *
 * No byte is restored, no approved text changes, and nothing outside the scope but what the caller names.
 */
import { type Outcome, ok, type Refusal, refuse } from '../record/outcome.ts';
import { parseScope } from '../record/scope.ts';
import type { Draft } from '../store/draft.ts';
import type { TrailContext } from './context.ts';
import { EarlierRecord } from './earlier.ts';
import { findThought } from './find-thought.ts';
import { checkOperator } from './guard.ts';
import { findPoint } from './point.ts';
import { planRollback, type RollbackPlan, thoughtsIn } from './rollback-plan.ts';
import { changeOf, stageStep } from './rollback-stage.ts';
import type { RollbackChange, RollbackInput, RollbackResult } from './types.ts';
import { type Change, type ChangeEvent, inputOf, write } from './write.ts';

/** One transaction holds them all, and others wait meanwhile: few enough for their patience. */
const MAX_THOUGHTS = 1000;
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_ALSO = 64;

/** Operator only. */
export async function rollback(context: TrailContext, input: RollbackInput): Promise<Outcome<RollbackResult>> {
  const { principal, repository } = context;
  const { store } = repository;
  const refusal = checkOperator('Rolling back a scope', principal);
  if (refusal !== null) return refusal;
  const scope = parseScope(input.trail_name);
  if (!scope.ok) return scope;
  const point = await findPoint(repository, input.op_id, { scope: scope.value, field: 'op_id' });
  if (!point.ok) return point;
  const commit = point.value;
  const head = store.head() ?? commit;
  // Before the lock; what comes until then is added under it.
  const differs = (await store.diff(commit, head)).map(({ path }) => path);
  const call = { verb: 'rollback', input: inputOf(input), idempotencyKey: input.idempotency_key };
  return write<RollbackResult>(context, call, async (draft, tombstones) => {
    const present = draft.head ?? head;
    const later = present === head ? [] : (await store.diff(head, present)).map(({ path }) => path);
    const changed = new Set([...differs, ...later, ...draft.stagedPaths]);
    const count = thoughtsIn(changed, scope.value).length;
    if (count > MAX_THOUGHTS) return tooMany(count);
    const { index } = draft;
    const earlier = new EarlierRecord({ store, commit, index, changed });
    const plan = await planRollback({ index, earlier, scope: scope.value, tombstones }, changed);
    const partners = partnersOf(plan);
    const also = alsoOf(context, draft, { named: input.also ?? [], partners });
    if (!also.ok) return also;
    const missing = partners.filter(({ thought_id }) => !also.value.has(thought_id));
    if (missing.length > 0 && input.dry_run !== true) return refusePartners(missing);
    return stage(draft, plan, {
      context,
      point: commit.slice(0, 12),
      scope: scope.value,
      isDry: input.dry_run === true,
    });
  });
}

interface Staging {
  readonly context: TrailContext;
  readonly scope: string;
  readonly point: string;
  readonly isDry: boolean;
}

async function stage(draft: Draft, plan: RollbackPlan, options: Staging): Promise<Outcome<Change<RollbackResult>>> {
  const { scope, point, isDry } = options;
  const events: ChangeEvent[] = [];
  const changes: RollbackChange[] = [];
  let bytes = 0;
  for (const step of plan.steps) {
    const staged = await stageStep(draft, step, options);
    if (!staged.ok) return staged;
    events.push(...staged.value.events);
    changes.push(...staged.value.changes);
    bytes += staged.value.events.reduce((sum, event) => sum + sizeOf(event), 0);
    if (bytes > MAX_BYTES) return tooLarge();
  }
  const partners = partnersOf(plan);
  const answer: RollbackResult = {
    status: 'ok',
    message: messageFor(options, { changed: changes.length, left: plan.left.length, partners: partners.length }),
    // No draft was made, so its id is none.
    changes: [...(isDry ? changes.map(({ new_thought_id: _, ...change }) => change) : changes), ...plan.left],
    dry_run: isDry,
    ...(partners.length === 0 ? {} : { partners }),
  };
  const message = `Roll back ${scope} to ${point}`;
  return ok({ events: isDry ? [] : events, message, answer });
}

function sizeOf({ files }: ChangeEvent): number {
  return files.reduce((sum, { after }) => sum + (after?.length ?? 0), 0);
}

/** Changes outside the scope. */
function partnersOf({ steps }: RollbackPlan): readonly RollbackChange[] {
  return steps.filter(({ isPartner }) => isPartner).flatMap((step) => changeOf(step) ?? []);
}

/** Full ids of what the caller names; each must be a partner, so that nothing else of another scope is touched. */
function alsoOf(
  { principal }: TrailContext,
  draft: Draft,
  { named, partners }: { readonly named: readonly string[]; readonly partners: readonly RollbackChange[] },
): Outcome<ReadonlySet<string>> {
  const field = 'also';
  if (named.length > MAX_ALSO) {
    const next = `Name at most ${MAX_ALSO} thoughts`;
    return refuse('invalid', `"${field}" names ${named.length} thoughts, the limit is ${MAX_ALSO}`, { field, next });
  }
  const ids = new Set<string>();
  for (const name of named) {
    const found = findThought(draft.index, name, { principal, views: ['history'] });
    if (!found.ok) return { ...found, field };
    const { thought_id } = found.value.thought;
    if (!partners.some((partner) => partner.thought_id === thought_id)) {
      return refuse('invalid', `Thought "${thought_id}" is no partner of this rollback`, {
        field,
        next: 'Leave it out; a dry_run lists the partners in other scopes',
      });
    }
    ids.add(thought_id);
  }
  return ok(ids);
}

function refusePartners(partners: readonly RollbackChange[]): Refusal {
  return refuse('conflict', `The rollback changes ${partners.length} thoughts in other scopes, see "partners"`, {
    field: 'also',
    rule: 'partner_in_other_scope',
    next: `Check them, then call again with "also": ${JSON.stringify(partners.map(({ thought_id }) => thought_id))}`,
    details: { partners },
  });
}

function tooMany(count: number): Refusal {
  return refuse('invalid', `${count} thoughts may differ since then, the limit of one rollback is ${MAX_THOUGHTS}`, {
    field: 'op_id',
    next: 'Choose a later point, and go back step by step',
    details: { count, limit: MAX_THOUGHTS },
  });
}

function tooLarge(): Refusal {
  return refuse('invalid', `The rollback writes more than ${MAX_BYTES} bytes, the limit of one rollback`, {
    field: 'op_id',
    next: 'Choose a later point, and go back step by step',
  });
}

interface Counts {
  readonly changed: number;
  readonly left: number;
  readonly partners: number;
}

function messageFor({ scope, point, isDry }: Staging, { changed, left, partners }: Counts): string {
  const does = isDry ? 'Would make' : 'Made';
  const alone = left === 0 ? '' : ` ${left} thoughts are left alone, see "why".`;
  if (changed === 0) return `Nothing to change: scope "${scope}" stands as it did at ${point}.${alone}`;
  const others = partners === 0 || !isDry ? '' : ` It needs "also" for ${partners} thoughts in other scopes.`;
  return `${does} ${changed} changes to take scope "${scope}" back to ${point}.${others}${alone}`;
}

/** What an operator does about two approved thoughts that say nearly the same, or contradict each other. */
import type { EventFile } from '../../ledger/types.ts';
import { type Outcome, ok, refuse } from '../../record/outcome.ts';
import type { Draft } from '../../store/draft.ts';
import type { StoredThought } from '../../store/index/types.ts';
import { claimEventOf } from '../causes.ts';
import { checkReason } from '../check-reason.ts';
import type { TrailContext } from '../context.ts';
import { findThought } from '../find-thought.ts';
import { checkOperator } from '../guard.ts';
import { checkHeld, replaceFile } from '../replace-file.ts';
import { type ChangeEvent, inputOf, write } from '../write.ts';

export const DISPOSITIONS = ['old', 'new', 'both'] as const;
/** Which of two stays current: the one that was made first, the other, or both. */
export type Disposition = (typeof DISPOSITIONS)[number];

export interface ResolveInput {
  /** Ids or unambiguous prefixes of two governed thoughts of one scope. */
  readonly thought_ids: readonly [string, string];
  readonly keep: Disposition;
  readonly reason: string;
}

export interface ResolveResult {
  readonly status: 'ok';
  /** Id of each that is current afterwards. */
  readonly kept: readonly string[];
  /** Id of the one that the kept one replaces now; absent with `both`. */
  readonly retired?: string;
  readonly message: string;
}

/**
 * With `old` or `new` the other one is superseded by the kept one, as if that had replaced it; with `both` the pair is not
 * reported again. Needs an operator. Codes `authority`, `invalid`, `not_found`, `ambiguous`, `conflict`.
 */
export async function resolveDuplicate(context: TrailContext, input: ResolveInput): Promise<Outcome<ResolveResult>> {
  const { principal } = context;
  const refusal =
    checkOperator('Deciding between two approved thoughts', principal) ??
    checkReason(input.reason, 'Say why this one, or why both');
  if (refusal !== null) return refusal;
  const call = {
    verb: input.keep === 'both' ? 'keep_both' : 'merge',
    input: inputOf(input),
    idempotencyKey: undefined,
  };
  return write<ResolveResult>(context, call, async (draft) => {
    const found = findPair(draft, input.thought_ids, context);
    if (!found.ok) return found;
    const [older, newer] = found.value;
    if (input.keep === 'both') return stageBoth(draft, found.value, input);
    const [kept, dropped] = input.keep === 'old' ? [older, newer] : [newer, older];
    const { thought_id: id } = kept.thought;
    const thought = { ...dropped.thought, superseded_by: id, superseded_scope: kept.scope };
    const files = await replaceFile(draft, { row: dropped, thought });
    if (!files.ok) return files;
    const retired = dropped.thought.thought_id;
    const event = eventOf(draft, found.value, { verb: 'merge', about: dropped, input, files: files.value });
    const message = `Superseded by ${id}, which stays current; its text and history stay.`;
    return ok({
      events: [event],
      message: `Merge thought ${retired} into ${id} in ${kept.scope}`,
      answer: { status: 'ok' as const, kept: [id], retired, message },
    });
  });
}

type Pair = readonly [older: StoredThought, newer: StoredThought];

function findPair(draft: Draft, names: readonly [string, string], { principal }: TrailContext): Outcome<Pair> {
  const rows: StoredThought[] = [];
  for (const name of names) {
    const found = findThought(draft.index, name, { principal, views: ['governed'] });
    if (!found.ok) return found;
    const held = checkHeld(found.value);
    if (!held.ok) return held;
    rows.push(found.value);
  }
  const [older, newer] = rows.sort((a, b) => (a.thought.thought_id < b.thought.thought_id ? -1 : 1));
  if (older === undefined || newer === undefined || older.path === newer.path) {
    return refuse('invalid', 'Two different thoughts are needed', { next: 'Run "waymark duplicates" to see pairs' });
  }
  if (older.scope === newer.scope) return ok([older, newer]);
  return refuse('invalid', `The thoughts are in different scopes, "${older.scope}" and "${newer.scope}"`, {
    next: 'Move one with change_scope first',
  });
}

function stageBoth(draft: Draft, pair: Pair, input: ResolveInput) {
  const [older, newer] = pair;
  const kept = [older.thought.thought_id, newer.thought.thought_id];
  const event = eventOf(draft, pair, { verb: 'keep_both', about: newer, input, files: [] });
  return ok({
    events: [{ ...event, local: { ...event.local, beside: older.thought.thought_id } }],
    message: `Keep thoughts ${kept.join(' and ')} in ${older.scope}`,
    answer: { status: 'ok' as const, kept, message: 'Both stay current; the pair is not reported again.' },
  });
}

interface Said {
  readonly verb: 'merge' | 'keep_both';
  readonly about: StoredThought;
  readonly input: ResolveInput;
  readonly files: readonly EventFile[];
}

function eventOf(draft: Draft, pair: Pair, { verb, about, input, files }: Said): ChangeEvent {
  return {
    verb,
    informed_by: pair.flatMap((row) => claimEventOf(draft.index, row.thought.thought_id) ?? row.event ?? []),
    local: {
      scope: about.scope,
      thought_id: about.thought.thought_id,
      status: about.thought.validation_status,
      reason: input.reason,
    },
    files,
  };
}

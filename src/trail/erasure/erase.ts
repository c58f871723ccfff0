/**
 * Removes the text of one thought for good: from its file, from sidecars, from the index and from our mirrors. The signed
 * records stay and say who did what; what still holds the text elsewhere is named.
 */
import { claimDigest } from '../../record/claim.ts';
import { type Outcome, ok, type Refusal, refuse } from '../../record/outcome.ts';
import { parseScope } from '../../record/scope.ts';
import type { Index, StoredThought } from '../../store/index/index.ts';
import { checkReason } from '../check-reason.ts';
import type { TrailContext } from '../context.ts';
import { findThought } from '../find-thought.ts';
import { checkOperator } from '../guard.ts';
import { summarize, summarizeStored } from '../summary.ts';
import { keepOutErased } from '../tombstones/keep-out.ts';
import { makeKeys } from '../tombstones/keys.ts';
import { inputOf, write } from '../write.ts';
import { erasedThought, saysErased } from './erased-thought.ts';
import { holdersOf } from './holders.ts';
import { partnerTexts } from './partner-texts.ts';
import { holdsText, quotesText } from './same-words.ts';
import { sidecarsThatGo } from './sidecars.ts';
import { stageErasure } from './stage.ts';
import type { EraseInput, EraseResult } from './types.ts';

/** How long readers may keep the index's log. Milliseconds. */
const READERS_MS = 10_000;
/** Other thoughts that an answer names. */
const NAMED = 20;
/** Words by which they are looked for. */
const WORDS = 6;

/** Operator only. With `dry_run` nothing is written and no lock taken. */
export async function erase(context: TrailContext, input: EraseInput): Promise<Outcome<EraseResult>> {
  const { repository, principal } = context;
  const refusal =
    checkOperator('Erasing a thought', principal) ?? checkReason(input.reason, 'Say why the text must go');
  if (refusal !== null) return refusal;
  const { value: found } = await repository.read((index) => look(index, context, input));
  if (!found.ok) return found;
  const { row, alike, sidecars: planned, paths } = found.value;
  const held = await holdersOf(repository, paths);
  const answer = { claim: claimDigest(row.thought), held, ...(alike.length === 0 ? {} : { alike }) };
  if (input.dry_run === true) return ok({ ...planOf(row, countOf(planned)), ...answer });
  const texts = await partnerTexts(repository, planned, row.thought.thought_id);
  await repository.beginErasing();
  const newKeys = makeKeys();
  const call = { verb: 'erase', input: inputOf(input), idempotencyKey: undefined, alone: true };
  const written = await write<Written>(context, call, async (draft, tombstones) => {
    const again = look(draft.index, context, input);
    if (!again.ok) return again;
    const { rows, sidecars } = again.value;
    const [first] = rows;
    if (first === undefined || claimDigest(first.thought) !== claimDigest(row.thought)) return changed();
    const count = countOf(sidecars);
    const thought = erasedThought(first.thought, { agentId: principal.agent_id, reason: input.reason, now: draft.now });
    const isDone = count === 0 && rows.length === 1 && first.held && saysErased(first.thought);
    if (isDone) return ok({ events: [], answer: { thought: summarizeStored(first), count, isDone } });
    const staged = await stageErasure(draft, { rows, thought, reason: input.reason, sidecars, texts });
    if (!staged.ok) return staged;
    const { body } = first.thought;
    const { reason, keep_out } = input;
    const text = { scope: first.scope, thought_id: thought.thought_id, body, reason, keep_out };
    const kept = await keepOutErased(draft, { ...text, context, tombstones, newKeys });
    if (!kept.ok) return kept;
    return ok({
      events: [...staged.value.events, ...kept.value],
      alsoWritten: staged.value.alsoWritten,
      message: `Erase thought ${thought.thought_id} in ${first.scope}`,
      answer: { thought: summarize(thought, first.scope), count, isDone },
    });
  });
  if (!written.ok) return written;
  const { thought, count, isDone } = written.value;
  const index = (await repository.finishErasing(READERS_MS)) ? 'clean' : 'pending';
  const message = messageFor({ isDone, count, index });
  return ok({ status: 'ok', thought, message, sidecars: count, index, dry_run: false, ...answer });
}

function planOf(row: StoredThought, sidecars: number): Omit<EraseResult, 'claim' | 'held' | 'alike'> {
  const message = `Would erase the text and ${sidecars} sidecars; the signed records stay.`;
  return { status: 'ok', thought: summarizeStored(row), message, sidecars, index: 'untouched', dry_run: true };
}

function countOf(sidecars: Looked['sidecars']): number {
  return sidecars.reduce((sum, { events }) => sum + events.length, 0);
}

interface Written {
  readonly thought: EraseResult['thought'];
  readonly count: number;
  readonly isDone: boolean;
}

interface Looked {
  readonly row: StoredThought;
  /** Every file of the thought, the one that stays first. */
  readonly rows: readonly StoredThought[];
  readonly sidecars: ReturnType<typeof sidecarsThatGo>;
  /** Where its file lies and lay. */
  readonly paths: readonly string[];
  readonly alike: readonly string[];
}

function look(index: Index, { principal }: TrailContext, input: EraseInput): Outcome<Looked> {
  const scope = input.trail_name === undefined ? null : parseScope(input.trail_name);
  if (scope !== null && !scope.ok) return scope;
  const where = scope === null ? {} : { scope: scope.value };
  const found = findThought(index, input.thought_id, { principal, views: ['history'], ...where });
  if (!found.ok) return found;
  const row = found.value;
  const { thought_id, body } = row.thought;
  if (input.claim !== undefined && input.claim !== claimDigest(row.thought)) return changed();
  if (quotesText(input.reason, body)) return quotes();
  const others = index.thoughtById(thought_id).filter(({ path }) => path !== row.path);
  const events = index.eventsOfThought(thought_id).flatMap(({ envelope }) => envelope._local?.files ?? []);
  const paths = events.filter((file) => file.thought_id === thought_id).map(({ path }) => path);
  return ok({
    row,
    rows: [row, ...others],
    sidecars: sidecarsThatGo(index, thought_id),
    paths: [...new Set([row.path, ...others.map(({ path }) => path), ...paths])],
    alike: alikeTo(index, row),
  });
}

/** Other thoughts that hold the whole text; whoever erases looks at them himself. */
function alikeTo(index: Index, { thought: { thought_id, body } }: StoredThought): readonly string[] {
  const tokens = [...new Set(body.normalize('NFC').toLowerCase().split(/\s+/).filter(Boolean))]
    .sort((a, b) => b.length - a.length)
    .slice(0, WORDS);
  if (tokens.length === 0) return [];
  const scopes = index.scopes().map(({ scope }) => scope);
  const query = { scopes, classes: [1, 2, 3, 4] as const, tokens, filters: {}, order: 'newest' as const, limit: 500 };
  const hits = index.recall(query).hits.map((hit) => hit.thought);
  const holding = hits.filter((other) => other.thought_id !== thought_id && holdsText(other.body, body));
  return holding.slice(0, NAMED).map((other) => other.thought_id);
}

function quotes(): Refusal {
  return refuse('invalid', '"reason" holds words of the text that is to go', {
    field: 'reason',
    next: 'Say why without saying what: the reason stays in the record',
  });
}

function changed(): Refusal {
  return refuse('conflict', 'The thought changed since it was looked at; nothing was erased', {
    next: 'Look at it again, then run it again',
  });
}

function messageFor(at: { isDone: boolean; count: number; index: EraseResult['index'] }): string {
  const { isDone, count, index } = at;
  const pending =
    index === 'pending' ? ' Somebody reads the index: the rest is done when the record is opened next.' : '';
  if (isDone) return `Erased already; nothing changed.${pending}`;
  return `Erased the text and ${count} sidecars; the signed records stay.${pending}`;
}

/** What waits for a person's decision. */
import { mayDecideIn } from '../record/grants.ts';
import { type Outcome, ok, type Refusal, refuse } from '../record/outcome.ts';
import { isOperatorByKey } from '../record/principal.ts';
import { expandScopes, parseScope } from '../record/scope.ts';
import type { SourceType } from '../record/thought.ts';
import { isVisible, VISIBILITY_CLASSES } from '../record/visibility.ts';
import type { Index } from '../store/index/index.ts';
import type { RecallCursor, StoredThought } from '../store/index/types.ts';
import { type Care, type CareName, careReader } from './care.ts';
import type { TrailContext } from './context.ts';
import { type Advice, adviceOn } from './gate/advice.ts';
import { checkDecider } from './guard.ts';
import { quarantined } from './quarantined.ts';
import { type BallotReader, ballotReader } from './quorum/ballot.ts';
import { summarizeStored } from './summary.ts';
import { nearTombstones } from './tombstones/consult.ts';
import type { ThoughtSummary, TombstoneNotice } from './types.ts';

export interface QueueEntry extends ThoughtSummary {
  /** Its scope. */
  readonly source_trail: string;
  /** ISO 8601; when it was put forward. */
  readonly proposed_at: string;
  /** Where a quorum decides: people who approved this text, and how many must. */
  readonly votes?: { readonly given: number; readonly needed: number };
  /** What a model said of this text. */
  readonly advice?: Advice['verdict'];
  /** Ids of the rejected values it comes close to. */
  readonly near_tombstone?: readonly string[];
  /** Why it asks for more care than others. */
  readonly care: readonly Care[];
}

export interface QueueInput {
  /** A scope or a glob; absent: every scope. */
  readonly scope?: string | undefined;
  /** Agent id. */
  readonly author?: string | undefined;
  readonly source_type?: SourceType | undefined;
  /** Put forward before this time, Unix milliseconds. */
  readonly before?: number | undefined;
  /** A model said this of the present text. */
  readonly advice?: 'approve' | 'reject' | undefined;
  /** Only what comes close to a rejected value. */
  readonly near_tombstone?: true | undefined;
  /** Only what asks for care for this reason. */
  readonly care?: CareName | undefined;
  /** @default all */
  readonly limit?: number | undefined;
  /** `next` of the page before. */
  readonly after?: string | undefined;
  /** The last put forward first, and no further page. */
  readonly newest?: true | undefined;
}

export interface QueuePage {
  /** The longest waiting first. */
  readonly entries: readonly QueueEntry[];
  /** Of all pages. */
  readonly total: number;
  /** Absent on the last page. */
  readonly next?: string;
}

type Caller = Pick<TrailContext, 'repository' | 'principal' | 'gate'>;

const PAGE = 500;

/**
 * Proposals of the scopes in which the caller may decide; for an operator's key also what is in quarantine. For people
 * who decide.
 *
 * @param input `after` may name what was decided since; the page goes on behind its place.
 */
export async function queue(caller: Caller, input: QueueInput = {}): Promise<Outcome<QueuePage>> {
  const { repository, principal } = caller;
  const refusal = checkDecider('The review queue', principal) ?? checkAfter(input.after);
  if (refusal !== null) return refusal;
  const pattern = input.scope ?? '**';
  const scope = pattern.includes('*') ? ok(pattern) : parseScope(pattern, 'scope');
  if (!scope.ok) return scope;
  const { value } = await repository.read((index) => {
    const scopes = expandScopes(
      [scope.value],
      index.scopes().flatMap((known) => (mayDecideIn(principal, known.scope) ? known.scope : [])),
    );
    const details = detailReader(index, caller);
    const withheld = isOperatorByKey(principal) ? quarantined(index, scopes, input) : [];
    const found = [
      ...[...proposed(index, scopes, input)].filter(({ facts }) => isVisible(facts, { principal, view: 'review' })),
      ...[...withheld].filter(({ facts }) => isVisible(facts, { principal, view: 'history' })),
    ]
      .map((row) => waitingSince(index, row))
      .filter((waiting) => matches(index, waiting, { input, details }))
      .sort((a, b) => compare(a.place, b.place));
    const { after = '', limit = found.length } = input;
    const rest = found.filter(({ place }) => place > after);
    const shown = input.newest === true ? rest.slice(-limit).reverse() : rest.slice(0, limit);
    return {
      entries: shown.map((waiting) => entryOf(index, waiting, details)),
      total: found.length,
      ...(shown.length < rest.length && input.newest !== true ? { next: shown.at(-1)?.place ?? '' } : {}),
    };
  });
  return ok(value);
}

/** A proposal and when it was put forward. */
interface WaitingRow {
  readonly row: StoredThought;
  /** ISO 8601. */
  readonly since: string;
  /** Where it stands in the queue. */
  readonly place: string;
}

const PLACE = /^\d{4}-[0-9T:.-]+Z [0-9A-Z]{26} trails\//;

function checkAfter(after: string | undefined): Refusal | null {
  if (after === undefined || PLACE.test(after)) return null;
  return refuse('invalid', '"after" is not the "next" of a page', { field: 'after', next: 'Start at the first page' });
}

/** Newest first. A proposal the ledger does not back cannot be decided; `status` names it. */
function* proposed(index: Index, scopes: readonly string[], { author }: QueueInput): Generator<StoredThought> {
  const query = {
    scopes,
    classes: [VISIBILITY_CLASSES.authored],
    tokens: [],
    filters: { statuses: ['proposed' as const], ...(author === undefined ? {} : { agent_id: author }) },
    order: 'newest' as const,
    limit: PAGE,
  };
  let after: RecallCursor | undefined;
  do {
    const { hits } = index.recall({ ...query, ...(after === undefined ? {} : { after }) });
    yield* hits;
    after = hits.length < PAGE ? undefined : hits.at(-1)?.cursor;
  } while (after !== undefined);
}

function waitingSince(index: Index, row: StoredThought): WaitingRow {
  const event = row.event === undefined ? null : index.eventByHash(row.event);
  const at = event?.envelope.record.timestamp ?? Date.parse(row.thought.created_at);
  const since = new Date(at).toISOString();
  return { row, since, place: `${since} ${row.thought.thought_id} ${row.path}` };
}

function matches(
  index: Index,
  { row, since }: WaitingRow,
  { input, details }: { readonly input: QueueInput; readonly details: DetailReader },
): boolean {
  const { source_type, before, advice, near_tombstone, care } = input;
  if (source_type !== undefined && row.thought.source_type !== source_type) return false;
  if (before !== undefined && Date.parse(since) >= before) return false;
  if (near_tombstone === true && details.near(row).length === 0) return false;
  if (care !== undefined && !details.care(row).some(({ name }) => name === care)) return false;
  return advice === undefined || adviceOn(index, row.thought)?.verdict === advice;
}

/** As they are now, whatever was in force when it was saved. */
export function tombstonesNear(index: Index, { scope, thought }: StoredThought): readonly TombstoneNotice[] {
  return nearTombstones(index, { scope, body: thought.body });
}

/** What is looked up of each entry, once where a filter asks for it before. */
interface DetailReader {
  readonly viewer: TrailContext['principal'];
  near(row: StoredThought): readonly string[];
  care(row: StoredThought): readonly Care[];
  ballot: BallotReader['of'];
}

function detailReader(index: Index, { principal, gate }: Pick<Caller, 'principal' | 'gate'>): DetailReader {
  const cares = careReader(index, principal);
  const near = remembering((row) => tombstonesNear(index, row).map(({ tombstone }) => tombstone));
  return {
    viewer: principal,
    near,
    care: remembering((row) => cares.of(row, near(row))),
    ballot: ballotReader(index, gate).of,
  };
}

function remembering<T>(read: (row: StoredThought) => T): (row: StoredThought) => T {
  const known = new Map<StoredThought, T>();
  return (row) => {
    const value = known.get(row) ?? read(row);
    known.set(row, value);
    return value;
  };
}

function entryOf(index: Index, { row, since }: WaitingRow, details: DetailReader): QueueEntry {
  const ballot = details.ballot(row);
  const advice = adviceOn(index, row.thought);
  const near = details.near(row);
  return {
    ...summarizeStored(row, { withClaim: true, principal: details.viewer }),
    source_trail: row.scope,
    proposed_at: since,
    ...(ballot === null ? {} : { votes: { given: ballot.votes.length, needed: ballot.needed } }),
    ...(advice === null ? {} : { advice: advice.verdict }),
    ...(near.length === 0 ? {} : { near_tombstone: near }),
    care: details.care(row),
  };
}

/** A queue entry of a thought that was loaded otherwise. */
export function queueEntry(index: Index, row: StoredThought, caller: Pick<Caller, 'principal' | 'gate'>): QueueEntry {
  return entryOf(index, waitingSince(index, row), detailReader(index, caller));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** What waits for a person's decision. */

import { isNamedTo } from '../record/foreign-scopes.ts';
import { mayDecideIn } from '../record/grants.ts';
import { type Outcome, ok, type Refusal, refuse } from '../record/outcome.ts';
import { isOperatorByKey } from '../record/principal.ts';
import { expandScopes, parseScope } from '../record/scope.ts';
import type { SourceType } from '../record/thought.ts';
import { isVisible } from '../record/visibility.ts';
import type { Index } from '../store/index/index.ts';
import type { StoredThought } from '../store/index/types.ts';
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
  /** Of those that must be read to know whether they match, how many are read for one page. @default all */
  readonly looked?: number | undefined;
  /** `next` of the page before. */
  readonly after?: string | undefined;
  /** The last put forward first, and no further page. */
  readonly newest?: true | undefined;
}

export interface QueuePage {
  /** The longest waiting first. */
  readonly entries: readonly QueueEntry[];
  /** Of all pages; where `unlooked` is given, of those that were read. */
  readonly total: number;
  /** Proposals behind those that were read for the page, which may match too. */
  readonly unlooked?: number;
  /** Absent on the last page. */
  readonly next?: string;
}

type Caller = Pick<TrailContext, 'repository' | 'principal' | 'gate'>;

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
  const { value } = await repository.read((index): QueuePage => {
    const known = index.scopes().flatMap(({ scope: name }) => (mayDecideIn(principal, name) ? name : []));
    const scopes = expandScopes([scope.value], known);
    const details = detailReader(index, caller);
    const all = placesIn(index, scopes, { input, principal });
    const { after = '', limit = all.length, newest } = input;
    const rest = all.filter(({ place }) => place > after);
    if (!isRead(input)) {
      const shown = newest === true ? rest.slice(-limit).reverse() : rest.slice(0, limit);
      const isMore = shown.length < rest.length && newest !== true;
      const entries = shown.map((at) => entryOf(index, at.load(), { since: at.since, details }));
      return { entries, total: all.length, ...(isMore ? { next: shown.at(-1)?.place ?? '' } : {}) };
    }
    const { looked = all.length } = input;
    const read = input.looked === undefined ? all : rest.slice(0, looked);
    const found = read.flatMap((at) => {
      const row = at.load();
      return matches(index, row, { input, details }) ? [{ at, row }] : [];
    });
    const here = found.filter(({ at }) => at.place > after);
    const shown = here.slice(0, limit);
    const unlooked = input.looked === undefined ? 0 : rest.length - read.length;
    const next = shown.length < here.length ? shown.at(-1)?.at.place : unlooked > 0 ? read.at(-1)?.place : undefined;
    return {
      entries: shown.map(({ at, row }) => entryOf(index, row, { since: at.since, details })),
      total: found.length,
      ...(unlooked > 0 ? { unlooked } : {}),
      ...(next === undefined ? {} : { next }),
    };
  });
  return ok(value);
}

/** A proposal, when it was put forward, and where it stands in the queue. */
interface WaitingPlace {
  /** ISO 8601. */
  readonly since: string;
  readonly place: string;
  readonly load: () => StoredThought;
}

const PLACE = /^\d{4}-[0-9T:.-]+Z [0-9A-Z]{26} trails\//;

function checkAfter(after: string | undefined): Refusal | null {
  if (after === undefined || PLACE.test(after)) return null;
  return refuse('invalid', '"after" is not the "next" of a page', { field: 'after', next: 'Start at the first page' });
}

/** Of these scopes, by what needs no text. A proposal the ledger does not back cannot be decided; `status` names it. */
function placesIn(
  index: Index,
  scopes: readonly string[],
  { input, principal }: { readonly input: QueueInput; readonly principal: TrailContext['principal'] },
): readonly WaitingPlace[] {
  const { author, source_type, before = Number.POSITIVE_INFINITY } = input;
  const proposed = index
    .proposals({ scopes, agent_id: author })
    .filter(({ facts }) => isVisible(facts, { principal, view: 'review' }))
    .map((at) => ({ ...at, load: () => index.thoughtByPath(at.path) ?? gone(at.path) }));
  const withheld = isOperatorByKey(principal) ? [...quarantined(index, scopes, input)] : [];
  const apart = withheld
    .filter(({ facts }) => isVisible(facts, { principal, view: 'history' }))
    .map((row) => {
      const { path, thought } = row;
      const { thought_id, source_type } = thought;
      return { path, thought_id, source_type, at: waitingSince(index, row), load: () => row };
    });
  return [...proposed, ...apart]
    .filter((one) => (source_type === undefined || one.source_type === source_type) && one.at < before)
    .map(({ path, thought_id, at, load }) => {
      const since = new Date(at).toISOString();
      return { since, place: `${since} ${thought_id} ${path}`, load };
    })
    .sort((a, b) => compare(a.place, b.place));
}

function gone(path: string): never {
  throw new Error(`The index lists a proposal at "${path}" and holds none there: rebuild it`);
}

function waitingSince(index: Index, { event, thought }: StoredThought): number {
  const put = event === undefined ? null : index.eventByHash(event);
  return put?.envelope.record.timestamp ?? Date.parse(thought.created_at);
}

/** Whether each proposal must be read to know if it is asked for. */
function isRead({ advice, near_tombstone, care }: QueueInput): boolean {
  return advice !== undefined || near_tombstone !== undefined || care !== undefined;
}

function matches(
  index: Index,
  row: StoredThought,
  { input, details }: { readonly input: QueueInput; readonly details: DetailReader },
): boolean {
  const { advice, near_tombstone, care } = input;
  if (near_tombstone === true && details.near(row).length === 0) return false;
  if (care !== undefined && !details.care(row).some(({ name }) => name === care)) return false;
  return advice === undefined || adviceOn(index, row.thought)?.verdict === advice;
}

/** As they are now, whatever was in force when it was saved; of a scope above only to whom it is named. */
export function tombstonesNear(
  index: Index,
  { scope, thought }: StoredThought,
  { principal }: Pick<Caller, 'principal'>,
): readonly TombstoneNotice[] {
  return nearTombstones(index, { scope, body: thought.body }).filter((near) => isNamedTo(principal, near.scope));
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
  const near = remembering((row) => tombstonesNear(index, row, { principal }).map(({ tombstone }) => tombstone));
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

function entryOf(
  index: Index,
  row: StoredThought,
  { since, details }: { readonly since: string; readonly details: DetailReader },
): QueueEntry {
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
  const since = new Date(waitingSince(index, row)).toISOString();
  return entryOf(index, row, { since, details: detailReader(index, caller) });
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

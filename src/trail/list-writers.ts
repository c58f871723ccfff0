/**
 * Who writes into the ledger, and the events of one of them, as the caller may see them.
 *
 * How long a log is says how much its writer does, what is withheld included; so sizes, checkpoints and what this machine
 * remembers of them are for operators who may read everywhere. Everybody else gets the events they may see and no number.
 */
import { checkpointPath } from '../ledger/index.ts';
import type { Hash } from '../ledger/types.ts';
import { readsEverywhere } from '../record/grants.ts';
import { type Outcome, ok, refuse } from '../record/outcome.ts';
import type { Principal } from '../record/principal.ts';
import { isEventVisible } from '../record/visibility.ts';
import type { Index, IndexedEvent, IndexedWriter } from '../store/index/index.ts';
import type { IndexLag } from '../store/repository.ts';
import type { TrailContext } from './context.ts';
import { indexStatus, type WriterStatus } from './status.ts';

export interface ListedWriter {
  readonly log: string;
  readonly agent_id: string;
  /** Unix milliseconds, by its signer's clock: of its newest event that the caller sees. */
  readonly newest: number | null;
  /** For operators who may read everywhere. */
  readonly state?: Pick<WriterStatus, 'size' | 'remembered'>;
}

export interface WriterList {
  /** No fault of the logs or of the record's files is known. */
  readonly isSound: boolean;
  /** By agent, then by log. */
  readonly writers: readonly ListedWriter[];
  readonly index?: IndexLag;
}

export interface WriterEvents {
  readonly writer: ListedWriter;
  /** The signed note as it is committed; for operators who may read everywhere. */
  readonly checkpoint?: string;
  /** Newest first. */
  readonly events: readonly IndexedEvent[];
  /** The first event of the next page. */
  readonly next?: Hash;
}

export interface WriterEventsQuery {
  readonly log: string;
  /** Where the page begins. @default the newest event */
  readonly from?: Hash | undefined;
  readonly limit: number;
}

/** Of an agent's log that is looked through for events the caller may see; beyond it a log counts as ended. */
const LOOKED_THROUGH = 5_000;
/** The same, to tell whether the writer is to be named at all. */
const LOOKED_FOR = 200;

export async function listWriters(context: TrailContext, seenFolder: string): Promise<WriterList> {
  const { repository, principal } = context;
  const { value, state } = await repository.read((index) => {
    const { counts, writers } = indexStatus(index, seenFolder);
    const isDamaged = writers.some(({ remembered }) => remembered === 'cut' || remembered === 'forked');
    const memory = new Map(writers.map((writer) => [writer.log, writer]));
    const listed = index
      .writers()
      .flatMap((writer) => listedWriter(index, { writer, principal, memory: memory.get(writer.log) }) ?? []);
    return {
      isSound: !isDamaged && counts.unverified === 0 && counts.problems === 0,
      writers: listed.toSorted((a, b) => compare(a.agent_id, b.agent_id) || compare(a.log, b.log)),
    };
  });
  return { ...value, ...(state === undefined ? {} : { index: state }) };
}

/** Code `not_found` for a writer or an event that the caller does not see, as for one that there is not. */
export async function listWriterEvents(
  context: TrailContext,
  seenFolder: string,
  query: WriterEventsQuery,
): Promise<Outcome<WriterEvents>> {
  const { repository, principal } = context;
  const { value } = await repository.read((index) => readPage(index, { principal, seenFolder, query }));
  if (value === null) {
    return refuse('not_found', 'No such log or event is visible to you', {
      field: 'log',
      next: 'Go back to the list of writers',
    });
  }
  const { head, ...page } = value;
  if (!seesNumbers(principal) || head === null) return ok(page);
  const bytes = await repository.store.readPath(head, checkpointPath(query.log));
  return ok({ ...page, ...(bytes === null ? {} : { checkpoint: Buffer.from(bytes).toString('utf8') }) });
}

interface PageOf {
  readonly principal: Principal;
  readonly seenFolder: string;
  readonly query: WriterEventsQuery;
}

function readPage(index: Index, { principal, seenFolder, query: { log, from, limit } }: PageOf) {
  const writer = index.writerTail(log);
  if (writer === null) return null;
  const memory = seesNumbers(principal)
    ? indexStatus(index, seenFolder).writers.find((known) => known.log === log)
    : undefined;
  const listed = listedWriter(index, { writer, principal, memory });
  if (listed === null) return null;
  const start = from === undefined ? index.newestEventOf(log) : index.eventByHash(from);
  if (from !== undefined && (start === null || logOf(start) !== log || !isSeen(index, start, principal))) return null;
  const events: IndexedEvent[] = [];
  for (const event of seenBackFrom(index, start, { principal, most: LOOKED_THROUGH })) {
    if (events.length === limit) return { writer: listed, events, next: event.hash, head: index.indexedCommit() };
    events.push(event);
  }
  return { writer: listed, events, head: index.indexedCommit() };
}

interface Listing {
  readonly writer: IndexedWriter;
  readonly principal: Principal;
  readonly memory: WriterStatus | undefined;
}

/** `null`: nothing says to the caller that there is such a writer. */
function listedWriter(index: Index, { writer, principal, memory }: Listing): ListedWriter | null {
  const { log, agent_id } = writer;
  const [newest] = seenBackFrom(index, index.newestEventOf(log), { principal, most: LOOKED_FOR });
  if (seesNumbers(principal) && memory !== undefined) {
    const { size, remembered } = memory;
    return { log, agent_id, newest: newest?.envelope.record.timestamp ?? null, state: { size, remembered } };
  }
  const enrolled = index.keys().find((key) => key.log === log);
  const enrolment = enrolled === undefined ? null : index.eventAt(enrolled.since);
  const isNamed = newest !== undefined || (enrolment !== null && isSeen(index, enrolment, principal));
  return isNamed ? { log, agent_id, newest: (newest ?? enrolment)?.envelope.record.timestamp ?? null } : null;
}

function seesNumbers(principal: Principal): boolean {
  return principal.role === 'operator' && readsEverywhere(principal);
}

/** From an event of a log back through those before it; where one is lost, the log ends. */
function* seenBackFrom(
  index: Index,
  start: IndexedEvent | null,
  { principal, most }: { readonly principal: Principal; readonly most: number },
): Generator<IndexedEvent> {
  let event = start;
  for (let left = most; event !== null && left > 0; left -= 1) {
    if (isSeen(index, event, principal)) yield event;
    const prev: Hash | null | undefined = event.envelope.record.waymark?.prev;
    const before: IndexedEvent | null = prev == null ? null : index.eventByHash(prev);
    event = before !== null && logOf(before) === logOf(event) ? before : null;
  }
}

function isSeen(index: Index, { hash }: IndexedEvent, principal: Principal): boolean {
  const mention = index.mentionOf(hash);
  return mention !== null && isEventVisible(mention, principal);
}

function logOf({ envelope }: IndexedEvent): string | undefined {
  return envelope.record.waymark?.log;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * Takes event files into the index, in the repository's total order, each with its verdict.
 *
 * An event is *valid* when its sidecar is the one its signature covers, the signature holds, its place in the log is the
 * one its path says, and its key was enrolled for the agent and role it claims. What is not valid is kept and named, and
 * nothing that rests on it counts.
 */
import {
  appendLeaf,
  applyEvent,
  checkEnvelope,
  emptyRoster,
  leafHash,
  logEntry,
  logNameOf,
  orderEvents,
  parseEventPath,
  type RecordVerdict,
  type Roster,
  readEventLine,
  recordHash,
  verifyRecordAsync,
} from '../ledger/index.ts';
import type { AtribRecord, EventEnvelope, Hash } from '../ledger/types.ts';
import type { ChangedFile } from './changed-file.ts';
import { custodyFault } from './custody.ts';
import type { Index } from './index/index.ts';
import type { IndexedEvent, IndexedWriter } from './index/types.ts';
import type { IngestOptions } from './ingest.ts';

export interface ReadEvent {
  readonly path: string;
  readonly envelope: EventEnvelope;
  readonly hash: Hash;
  readonly timestamp: number;
  readonly prev: Hash | null;
  readonly seen: Hash | null;
}

/** Answers the positions given to the new events. */
export async function ingestEvents(
  index: Index,
  files: readonly ChangedFile[],
  options: IngestOptions,
): Promise<readonly number[]> {
  const read = files.flatMap((file) => readEvent(index, file));
  const { ordered, problems } = orderEvents(read);
  const pathOf = new Map(read.map((event) => [event.hash, event.path]));
  for (const { hash, code } of problems) {
    // A link to an event taken in earlier is no gap.
    const event = ordered.find((candidate) => candidate.hash === hash);
    const link = code === 'missing_prev' ? event?.prev : code === 'missing_seen' ? event?.seen : null;
    if (link != null && index.eventByHash(link) !== null) continue;
    putOrderProblem(index, pathOf.get(hash) ?? '', code);
  }
  const verdicts = await verifyEvents(ordered, options.now);
  return takeEvents(index, ordered, { verdicts, owner: options.trust.owner });
}

const PROBLEMS = {
  missing_prev: 'The event before it in its log is missing',
  missing_seen: 'An event of another writer that it follows is missing',
  cycle: 'It follows itself',
  duplicate: 'The same record stands twice',
} as const;

export function putOrderProblem(index: Index, path: string, code: keyof typeof PROBLEMS): void {
  index.putProblem({ path, line: 1, code: `event_${code}`, message: PROBLEMS[code] });
}

/** Reads one event file; one that cannot be read is a problem with its path and line. */
export function readEvent(index: Index, file: ChangedFile): readonly ReadEvent[] {
  index.removeProblem(file.path);
  if (file.bytes === null) return [];
  const line = readEventLine(file.bytes);
  if (!line.ok) {
    index.putProblem({ path: file.path, line: line.line, code: `event_${line.code}`, message: line.message });
    return [];
  }
  const { record } = line.envelope;
  // Of another place or key: a copy must neither take the place of the event it copies nor enter another's log.
  if (!isInPlace(file.path, record)) {
    const message = 'The event is not where its key and sequence number say';
    index.putProblem({ path: file.path, line: 1, code: 'event_misplaced', message });
    return [];
  }
  const { prev, seen } = record.waymark ?? { prev: null, seen: null };
  const { timestamp } = record;
  return [{ path: file.path, envelope: line.envelope, hash: recordHash(record), timestamp, prev, seen }];
}

function isInPlace(path: string, { waymark, creator_key }: AtribRecord): boolean {
  const place = parseEventPath(path);
  if (place === null || waymark === undefined) return false;
  return waymark.log === place.log && waymark.seq === place.seq && place.log === logNameOf(creator_key);
}

/** Verdicts on the records of `events`, computed on the thread pool; asked for early, they cost the caller nothing. */
export function verifyEvents(events: readonly ReadEvent[], now: number): Promise<readonly RecordVerdict[]> {
  return Promise.all(events.map((event) => verifyRecordAsync(event.envelope.record, { now })));
}

/** Takes in events that are already in order. Answers the positions given to them. */
export function takeEvents(
  index: Index,
  events: readonly ReadEvent[],
  judging: { readonly verdicts: readonly RecordVerdict[]; readonly owner: string },
): readonly number[] {
  const tails = new Tails(index);
  let roster = rosterOf(index, judging.owner);
  let pos = index.newestEvent()?.pos ?? 0;
  const positions: number[] = [];
  for (const [at, event] of events.entries()) {
    // A copy must not take the place of the event it copies.
    if (index.eventByHash(event.hash) !== null) {
      putOrderProblem(index, event.path, 'duplicate');
      continue;
    }
    pos += 1;
    const judged = judge(event, { index, pos, roster, tails, verdict: judging.verdicts[at] });
    index.putEvent(judged.event);
    positions.push(pos);
    if (judged.event.valid) {
      if (judged.roster !== roster) keepRoster(index, judged.roster, roster);
      roster = judged.roster;
      keepIdempotency(index, judged.event);
    } else {
      const message = `The event does not count: ${judged.event.invalidReason}`;
      index.putProblem({ path: event.path, line: 1, code: judged.event.invalidReason ?? 'event_invalid', message });
    }
    if (isOfItsKey(judging.verdicts[at])) tails.extend(event);
  }
  tails.keep();
  return positions;
}

/** Signed by the log's key, whatever else it lacks. Nobody signs on after what somebody else put into their log. */
function isOfItsKey(verdict: RecordVerdict | undefined): boolean {
  return verdict?.ok === true || verdict?.code === 'timestamp_in_future';
}

interface Judging {
  readonly index: Index;
  readonly pos: number;
  readonly roster: Roster;
  readonly tails: Tails;
  readonly verdict: RecordVerdict | undefined;
}

function judge(
  { envelope, hash }: ReadEvent,
  { index, pos, roster, tails, verdict }: Judging,
): { event: IndexedEvent; roster: Roster } {
  const indexed = { pos, hash, envelope };
  const invalid = (invalidReason: string) => ({ event: { ...indexed, valid: false, invalidReason }, roster });
  const position = envelope.record.waymark;
  if (position === undefined) return invalid('event_misplaced');
  const bound = checkEnvelope(envelope);
  if (!bound.ok) return invalid(bound.code);
  if (verdict?.ok !== true) return invalid(verdict?.code ?? 'event_unchecked');
  const tail = tails.of(position.log);
  if (tail !== null && tail.size === position.seq && tail.last !== position.prev) return invalid('event_out_of_chain');
  const applied = applyEvent(roster, envelope, pos);
  if (!applied.ok) return invalid(applied.code);
  const custody = custodyFault(index, bound.sidecar);
  if (custody !== null) return invalid(custody);
  return { event: { ...indexed, valid: true, role: bound.sidecar.role }, roster: applied.roster };
}

/** Ends of the logs while events are taken in; written once, since a batch extends the same few logs. */
class Tails {
  readonly #index: Index;
  readonly #extended = new Map<string, IndexedWriter>();

  constructor(index: Index) {
    this.#index = index;
  }

  of(log: string): IndexedWriter | null {
    return this.#extended.get(log) ?? this.#index.writerTail(log);
  }

  /** The tree grows by events in sequence only; a gap stops it, so that nobody appends to a damaged log. */
  extend({ envelope, hash, path }: ReadEvent): void {
    const place = parseEventPath(path);
    if (place === null) return;
    const { record } = envelope;
    const { log } = place;
    const agent_id = envelope._local?.agent_id ?? '';
    const tail = this.of(log) ?? { log, agent_id, publicKey: record.creator_key, size: 0, last: null, peaks: [] };
    if (place.seq !== tail.size) return;
    const peaks = appendLeaf(tail.peaks, tail.size, leafHash(logEntry(record, hash)));
    this.#extended.set(log, { ...tail, size: tail.size + 1, last: hash, peaks });
  }

  keep(): void {
    for (const tail of this.#extended.values()) this.#index.putWriterTail(tail);
  }
}

function rosterOf(index: Index, owner: string): Roster {
  const keys = index.keys().map((key) => [key.key, { ...key, roles: [{ since: key.since, role: key.role }] }] as const);
  return { ...emptyRoster(owner), keys: new Map(keys) };
}

function keepRoster(index: Index, after: Roster, before: Roster): void {
  for (const [publicKey, key] of after.keys) {
    if (before.keys.get(publicKey) === key) continue;
    const { roles: _, ...known } = key;
    index.putKey(known);
  }
}

/** After a rebuild the first answer is gone; that the call was made is not. */
function keepIdempotency(index: Index, event: IndexedEvent): void {
  const local = event.envelope._local;
  if (local?.idempotency === undefined) return;
  const { key, input } = local.idempotency;
  const at = event.envelope.record.timestamp;
  const { agent_id, role, nonce, thought_id } = local;
  const answer = JSON.stringify({ repeats: thought_id ?? null });
  index.putIdempotency({ agent_id, role, key, input: `${nonce}:${input}`, answer, at });
}

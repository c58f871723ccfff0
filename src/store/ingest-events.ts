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
  orderEvents,
  parseEventPath,
  type Roster,
  readEventLine,
  recordHash,
  verifyRecord,
} from '../ledger/index.ts';
import type { EventEnvelope, Hash } from '../ledger/types.ts';
import type { ChangedFile } from './changed-file.ts';
import type { Index } from './index/index.ts';
import type { IndexedEvent } from './index/types.ts';
import type { IngestOptions } from './ingest.ts';

interface ReadEvent {
  readonly path: string;
  readonly envelope: EventEnvelope;
  readonly hash: Hash;
  readonly timestamp: number;
  readonly prev: Hash | null;
  readonly seen: Hash | null;
}

/** Answers the positions given to the new events. */
export function ingestEvents(index: Index, files: readonly ChangedFile[], options: IngestOptions): readonly number[] {
  const read = files.flatMap((file) => readEvent(index, file));
  const { ordered, problems } = orderEvents(read);
  const pathOf = new Map(read.map((event) => [event.hash, event.path]));
  for (const { hash, code } of problems) {
    // A link to an event taken in earlier is no gap.
    const event = ordered.find((candidate) => candidate.hash === hash);
    const link = code === 'missing_prev' ? event?.prev : code === 'missing_seen' ? event?.seen : null;
    if (link != null && index.eventByHash(link) !== null) continue;
    index.putProblem({ path: pathOf.get(hash) ?? '', line: 1, code: `event_${code}`, message: PROBLEMS[code] });
  }
  return takeEvents(index, ordered, options);
}

const PROBLEMS = {
  missing_prev: 'The event before it in its log is missing',
  missing_seen: 'An event of another writer that it follows is missing',
  cycle: 'It follows itself',
  duplicate: 'The same record stands twice',
} as const;

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
  const { prev, seen } = record.waymark ?? { prev: null, seen: null };
  const { timestamp } = record;
  return [{ path: file.path, envelope: line.envelope, hash: recordHash(record), timestamp, prev, seen }];
}

/** Takes in events that are already in order. */
export function takeEvents(index: Index, events: readonly ReadEvent[], options: IngestOptions): readonly number[] {
  let roster = rosterOf(index, options.trust.owner);
  let pos = index.newestEvent()?.pos ?? 0;
  const positions: number[] = [];
  for (const event of events) {
    pos += 1;
    const judged = judge(index, roster, { event, pos, options });
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
    extendTail(index, event);
  }
  return positions;
}

interface Judging {
  readonly event: ReadEvent;
  readonly pos: number;
  readonly options: IngestOptions;
}

function judge(
  index: Index,
  roster: Roster,
  { event, pos, options }: Judging,
): { event: IndexedEvent; roster: Roster } {
  const { envelope, hash, path } = event;
  const indexed = { pos, hash, envelope };
  const invalid = (invalidReason: string) => ({ event: { ...indexed, valid: false, invalidReason }, roster });
  const place = parseEventPath(path);
  const position = envelope.record.waymark;
  if (place === null || position?.log !== place.log || position.seq !== place.seq) return invalid('event_misplaced');
  const bound = checkEnvelope(envelope);
  if (!bound.ok) return invalid(bound.code);
  const record = verifyRecord(envelope.record, { now: options.now });
  if (!record.ok) return invalid(record.code);
  const tail = index.writerTail(place.log);
  if (tail !== null && tail.size === place.seq && tail.last !== position.prev) return invalid('event_out_of_chain');
  const applied = applyEvent(roster, envelope, pos);
  if (!applied.ok) return invalid(applied.code);
  return { event: { ...indexed, valid: true, role: bound.sidecar.role }, roster: applied.roster };
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

/** The tree grows by events in sequence only; a gap stops it, so that nobody appends to a damaged log. */
function extendTail(index: Index, { envelope, hash, path }: ReadEvent): void {
  const place = parseEventPath(path);
  if (place === null) return;
  const { record } = envelope;
  const tail = index.writerTail(place.log) ?? {
    log: place.log,
    agent_id: envelope._local?.agent_id ?? '',
    publicKey: record.creator_key,
    size: 0,
    last: null,
    peaks: [],
  };
  if (place.seq !== tail.size) return;
  const peaks = appendLeaf(tail.peaks, tail.size, leafHash(logEntry(record, hash)));
  index.putWriterTail({ ...tail, size: tail.size + 1, last: hash, peaks });
}

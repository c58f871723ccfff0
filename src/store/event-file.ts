/** One event file: what can be said of it alone, before its place in the order is known. */
import {
  checkEnvelope,
  checkRecordForm,
  leafHash,
  logEntry,
  logNameOf,
  parseEventPath,
  type RecordVerdict,
  readEventLine,
  recordHash,
  verifyRecordAsync,
} from '../ledger/index.ts';
import type { AtribRecord, EventEnvelope, Hash } from '../ledger/types.ts';
import type { Problem } from './index/types.ts';

export interface ReadEvent {
  readonly path: string;
  /** The line as it is stored. */
  readonly text: string;
  readonly envelope: EventEnvelope;
  readonly hash: Hash;
  /** Of its leaf in the log's tree. */
  readonly leaf: Uint8Array;
  readonly timestamp: number;
  readonly prev: Hash | null;
  readonly seen: Hash | null;
}

export type EventFileVerdict =
  | { readonly ok: true; readonly event: ReadEvent }
  | { readonly ok: false; readonly problem: Problem };

export function readEventFile(path: string, bytes: Uint8Array): EventFileVerdict {
  const line = readEventLine(bytes);
  if (!line.ok) return unreadable({ path, line: line.line, code: `event_${line.code}`, message: line.message });
  const { envelope, text } = line;
  const { record } = envelope;
  // Of another place or key: a copy must neither take the place of the event it copies nor enter another's log.
  if (!isInPlace(path, record)) {
    const message = 'The event is not where its key and sequence number say';
    return unreadable({ path, line: 1, code: 'event_misplaced', message });
  }
  const hash = recordHash(record);
  return { ok: true, event: readEventOf({ path, text, envelope, hash, leaf: leafHash(logEntry(record, hash)) }) };
}

/** Puts together what another thread has read and checked. */
export function readEventOf(parts: Pick<ReadEvent, 'path' | 'text' | 'envelope' | 'hash' | 'leaf'>): ReadEvent {
  const { timestamp, waymark } = parts.envelope.record;
  return { ...parts, timestamp, prev: waymark?.prev ?? null, seen: waymark?.seen ?? null };
}

/** What the event proves by itself. */
export interface EventCheck {
  /** Why it does not count, `null` when sidecar and record hold. */
  readonly fault: string | null;
  /** Why the record by itself does not count, whatever its sidecar says; `null` when it holds. */
  readonly recordFault: string | null;
  /** Signed by the log's key, whatever else it lacks. Nobody signs on after what somebody else put into their log. */
  readonly isSigned: boolean;
}

export const UNCHECKED: EventCheck = { fault: 'event_unchecked', recordFault: 'event_unchecked', isSigned: false };

/** The signature is checked on the thread pool: of many events on as many processors as there are. */
export async function checkEvent(event: ReadEvent, now: number): Promise<EventCheck> {
  return checkOf(event, await verifyRecordAsync(event.envelope.record, { now }));
}

/** As {@link checkEvent}, for an event that its log's signed checkpoint covers: the one signature stands for all. */
export function checkCoveredEvent(event: ReadEvent, now: number): EventCheck {
  return checkOf(event, checkRecordForm(event.envelope.record, { now }));
}

function checkOf({ envelope }: ReadEvent, record: RecordVerdict): EventCheck {
  const bound = checkEnvelope(envelope);
  const isSigned = record.ok || record.code === 'timestamp_in_future';
  const recordFault = record.ok ? null : record.code;
  return { fault: bound.ok ? recordFault : bound.code, recordFault, isSigned };
}

function unreadable(problem: Problem): EventFileVerdict {
  return { ok: false, problem };
}

function isInPlace(path: string, { waymark, creator_key }: AtribRecord): boolean {
  const place = parseEventPath(path);
  if (place === null || waymark === undefined) return false;
  return waymark.log === place.log && waymark.seq === place.seq && place.log === logNameOf(creator_key);
}

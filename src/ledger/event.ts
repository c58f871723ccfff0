/** An event: a signed record and its sidecar, as one line of one file. */
import { randomBytes } from 'node:crypto';
import { encodeBase64url } from './base64url.ts';
import { contentIdOf } from './content-id.ts';
import { digestUnder } from './digest.ts';
import { logEntry } from './entry.ts';
import { isEventEnvelope } from './envelope-schema.ts';
import { ANNOTATION, eventTypeOf } from './event-type.ts';
import { hashOf } from './hash.ts';
import { jcs } from './jcs.ts';
import { appendLeaf, leafHash } from './merkle.ts';
import { recordHash, signRecord } from './record.ts';
import type {
  EventDraft,
  EventEnvelope,
  EventFile,
  FileChange,
  Hash,
  Sidecar,
  SignedEvent,
  Signer,
  UnsignedRecord,
  WriterTail,
} from './types.ts';
import { eventPath, logNameOf } from './writer.ts';

export { matchesDigest } from './digest.ts';

/** Largest event file that is read. Events carry digests and a reason, never a body. */
export const MAX_EVENT_BYTES = 256 * 1024;

export interface BuildEventOptions {
  /** End of the writer's log the event is appended to. */
  readonly tail: WriterTail;
  /** The newest record of another writer, `null` when there is none. */
  readonly seen: Hash | null;
  readonly chainRoot: Hash;
  /** Unix milliseconds. */
  readonly timestamp: number;
  readonly signer: Signer;
  /** 32 bytes; @default random */
  readonly nonce?: Uint8Array;
  /** Program and version, e.g. `waymark/0.1.0`. */
  readonly producer: string;
}

/**
 * Signs a draft as the next record of the writer's log.
 *
 * A draft with both `annotates` and `revises` becomes a revision, which cannot carry `annotates`: that target is then
 * kept as one more `informed_by`.
 *
 * @throws {Error} when the signer is not the log's, or the verb and the targets do not go together: broken promises of
 *   the caller.
 * @throws {RangeError} when the line would exceed {@link MAX_EVENT_BYTES}, since it could not be read back.
 */
export function buildEvent(draft: EventDraft, at: BuildEventOptions): SignedEvent {
  const { tail, signer } = at;
  if (tail.publicKey !== signer.publicKey || tail.log !== logNameOf(signer.publicKey)) {
    throw new Error(`The log "${tail.log}" is not of the key "${signer.publicKey}"`);
  }
  const local = sidecarOf(draft, at);
  const record = signRecord(recordOf(draft, { ...at, argsHash: hashOf(jcs(local)) }), signer);
  const hash = recordHash(record);
  const line = `${Buffer.from(jcs({ record, _local: local })).toString('utf8')}\n`;
  if (Buffer.byteLength(line) > MAX_EVENT_BYTES) {
    throw new RangeError(`An event is at most ${MAX_EVENT_BYTES} bytes, got ${Buffer.byteLength(line)}`);
  }
  return {
    record,
    local,
    hash,
    line,
    path: eventPath(tail.log, tail.size),
    tail: {
      ...tail,
      size: tail.size + 1,
      last: hash,
      peaks: appendLeaf(tail.peaks, tail.size, leafHash(logEntry(record, hash))),
    },
  };
}

export type EventLineVerdict =
  | { readonly ok: true; readonly envelope: EventEnvelope }
  | {
      readonly ok: false;
      readonly code: 'too_large' | 'not_utf8' | 'empty' | 'extra_line' | 'not_json' | 'malformed' | 'not_canonical';
      readonly message: string;
      /** Line at fault, from 1. */
      readonly line: number;
    };

/** Reads an event file: exactly one line, whose newline may be missing. */
export function readEventLine(bytes: Uint8Array): EventLineVerdict {
  if (bytes.length > MAX_EVENT_BYTES) {
    return unreadable('too_large', `An event is at most ${MAX_EVENT_BYTES} bytes, got ${bytes.length}`);
  }
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return unreadable('not_utf8', 'The event is not UTF-8');
  }
  const end = text.indexOf('\n');
  if (end >= 0 && end < text.length - 1) {
    return { ok: false, code: 'extra_line', message: 'An event file holds one line, got more', line: 2 };
  }
  if (text.trim() === '') return unreadable('empty', 'The event file is empty');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's own message quotes the text, which may hold what must not reach a log.
    return unreadable('not_json', 'The event is not JSON');
  }
  let problem = '';
  const report = (message: string) => {
    problem = message;
  };
  if (!isEventEnvelope(value, report)) return unreadable('malformed', `The event is malformed: ${problem}`);
  try {
    jcs(value);
  } catch {
    // Found here, so that hashing what was read never throws.
    return unreadable('not_canonical', 'The event holds a value that RFC 8785 JSON cannot express');
  }
  return { ok: true, envelope: value };
}

export type EnvelopeVerdict =
  | { readonly ok: true; readonly sidecar: Sidecar }
  | {
      readonly ok: false;
      readonly code: 'position_missing' | 'wrong_log' | 'sidecar_missing' | 'sidecar_unbound' | 'sidecar_mismatch';
      readonly message: string;
    };

/**
 * Whether the parts of an envelope belong together: the signed position is of the signing key's log, and the unsigned
 * sidecar is the one the signed `args_hash` commits to. Not the signature: see `verifyRecord`.
 */
export function checkEnvelope(envelope: EventEnvelope): EnvelopeVerdict {
  const { record, _local: sidecar } = envelope;
  if (record.waymark === undefined) return unbound('position_missing', 'The record states no place in a log');
  const { log, seq, prev } = record.waymark;
  if (log !== logNameOf(record.creator_key) || (seq === 0) !== (prev === null)) {
    return unbound('wrong_log', `Record ${seq} of log "${log}" is not where its key and predecessor say`);
  }
  if (sidecar === undefined) return unbound('sidecar_missing', 'The sidecar is gone');
  if (record.args_hash === undefined) return unbound('sidecar_unbound', 'The record commits to no sidecar');
  if (hashOfSidecar(sidecar) === record.args_hash) return { ok: true, sidecar };
  return unbound('sidecar_mismatch', 'The sidecar is not the one the record was signed with');
}

function sidecarOf(draft: EventDraft, at: BuildEventOptions): Sidecar {
  const nonce = encodeBase64url(at.nonce ?? randomBytes(32));
  const { claim, idempotency } = draft;
  return {
    ...draft.local,
    producer: at.producer,
    verb: draft.verb,
    nonce,
    ...(draft.files.length > 0 && { files: draft.files.map((file) => changeOf(file, nonce)) }),
    ...(claim !== undefined && { claim: digestUnder(nonce, Buffer.from(claim, 'utf8')) }),
    ...(idempotency !== undefined && {
      idempotency: { key: idempotency.key, input: digestUnder(nonce, jcs(idempotency.input)) },
    }),
  };
}

function changeOf(file: EventFile, nonce: string): FileChange {
  const { before, after, ...rest } = file;
  return {
    ...rest,
    before: before === null ? null : digestUnder(nonce, before),
    after: after === null ? null : digestUnder(nonce, after),
  };
}

function recordOf(draft: EventDraft, at: BuildEventOptions & { readonly argsHash: Hash }): UnsignedRecord {
  const eventType = eventTypeOf(draft);
  const { annotates, revises } = draft;
  const isAnnotation = eventType === ANNOTATION;
  const causes = annotates === undefined || isAnnotation ? draft.informed_by : [...draft.informed_by, annotates];
  const informedBy = [...new Set(causes)].sort();
  return {
    spec_version: 'atrib/1.0',
    content_id: contentIdOf(draft),
    creator_key: at.signer.publicKey,
    chain_root: at.chainRoot,
    event_type: eventType,
    context_id: draft.context_id,
    timestamp: at.timestamp,
    ...(informedBy.length > 0 && { informed_by: informedBy }),
    ...(annotates !== undefined && isAnnotation && { annotates }),
    ...(revises !== undefined && { revises }),
    args_hash: at.argsHash,
    waymark: { log: at.tail.log, seq: at.tail.size, prev: at.tail.last, seen: at.seen },
  };
}

/** `null` for a sidecar that has no canonical form, which no record can have committed to. */
function hashOfSidecar(sidecar: Sidecar): Hash | null {
  try {
    return hashOf(jcs(sidecar));
  } catch {
    return null;
  }
}

function unreadable(code: Exclude<EventLineVerdict, { ok: true }>['code'], message: string): EventLineVerdict {
  return { ok: false, code, message, line: 1 };
}

function unbound(code: Exclude<EnvelopeVerdict, { ok: true }>['code'], message: string): EnvelopeVerdict {
  return { ok: false, code, message };
}

/** Making an event: a signed record and its sidecar, as one line of one file. */
import { randomBytes } from 'node:crypto';
import { encodeBase64url } from './base64url.ts';
import { contentIdOf } from './content-id.ts';
import { digestUnder } from './digest.ts';
import { logEntry } from './entry.ts';
import { ANNOTATION, eventTypeOf } from './event-type.ts';
import { hashOf } from './hash.ts';
import { jcs } from './jcs.ts';
import { appendLeaf, leafHash } from './merkle.ts';
import { MAX_EVENT_BYTES } from './read-event.ts';
import { recordHash, signRecord } from './record.ts';
import { revocationMembers } from './revocation.ts';
import type {
  EventDraft,
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

function sidecarOf(draft: EventDraft, at: BuildEventOptions): Sidecar {
  const nonce = encodeBase64url(at.nonce ?? draft.nonce ?? randomBytes(32));
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
  const { revocation } = draft.local;
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
    ...(revocation !== undefined && revocationMembers(revocation)),
    waymark: { log: at.tail.log, seq: at.tail.size, prev: at.tail.last, seen: at.seen },
  };
}

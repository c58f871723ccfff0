/** The rules on a record's members, in the order a reader of atrib.md 1.1 and 1.5 meets them. */
import { isJsonObject } from '../record/json-object.ts';
import { decodeBase64url } from './base64url.ts';
import { isContextId } from './context.ts';
import { isPublicKey, isSignature } from './ed25519.ts';
import { ANNOTATION, isEventType, KEY_REVOCATION, REVISION, SESSION_CHECKPOINT, TRANSACTION } from './event-type.ts';
import { genesisChainRoot } from './genesis.ts';
import { isHash } from './hash.ts';

/** Each names the member at fault; `not_canonical` and `signature_invalid` are found over the whole record. */
export type RecordFaultCode =
  | 'not_an_object'
  | 'spec_version'
  | 'content_id'
  | 'creator_key'
  | 'chain_root'
  | 'event_type'
  | 'context_id'
  | 'timestamp'
  | 'timestamp_in_future'
  | 'timestamp_granularity'
  | 'informed_by'
  | 'informed_by_order'
  | 'annotates'
  | 'revises'
  | 'checkpoint'
  | 'provenance_token'
  | 'delegation_cert_hash'
  | 'args_hash'
  | 'result_hash'
  | 'args_salt'
  | 'result_salt'
  | 'tool_name'
  | 'session_token'
  | 'signers'
  | 'signature_malformed'
  | 'signature_invalid'
  | 'not_canonical';

export interface RecordFault {
  readonly code: RecordFaultCode;
  readonly message: string;
}

type Members = Readonly<Record<string, unknown>>;

const FUTURE_MS = 5 * 60_000;
const GRANULARITY_MS: ReadonlyMap<unknown, number> = new Map([
  ['ms', 1],
  ['s', 1000],
  ['min', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);

/** The first fault of a record's members, `null` when there is none. Signatures are looked at for form only. */
export function faultOf(record: unknown, options: { readonly now: number }): RecordFault | null {
  if (!isJsonObject(record)) return fault('not_an_object', 'A record is a JSON object');
  return (
    requiredFault(record) ??
    timeFault(record, options.now) ??
    informedByFault(record) ??
    targetFault(record) ??
    genesisFault(record) ??
    optionalFault(record) ??
    signatureFault(record)
  );
}

function requiredFault(record: Members): RecordFault | null {
  if (record['spec_version'] !== 'atrib/1.0') return fault('spec_version', 'spec_version must be "atrib/1.0"');
  if (!isHash(record['content_id'])) return notHash('content_id');
  if (!isPublicKey(record['creator_key'])) return fault('creator_key', 'creator_key must be 32 bytes in base64url');
  if (!isHash(record['chain_root'])) return notHash('chain_root');
  if (!isEventType(record['event_type'])) return fault('event_type', 'event_type must be an absolute URI, 256 octets');
  if (!isContextId(record['context_id'])) return fault('context_id', 'context_id must be 32 lower-case hex digits');
  return null;
}

function timeFault(record: Members, now: number): RecordFault | null {
  const timestamp = record['timestamp'];
  if (typeof timestamp !== 'number' || !Number.isSafeInteger(timestamp) || timestamp < 0) {
    return fault('timestamp', 'timestamp must be a whole number of milliseconds since 1970');
  }
  if (timestamp > now + FUTURE_MS) {
    return fault('timestamp_in_future', `timestamp ${timestamp} is more than 5 minutes after ${now}`);
  }
  if (!has(record, 'timestamp_granularity')) return null;
  const unit = GRANULARITY_MS.get(record['timestamp_granularity']);
  if (unit !== undefined && timestamp % unit === 0) return null;
  return fault('timestamp_granularity', 'timestamp_granularity must be ms, s, min, h or d and divide the timestamp');
}

function informedByFault(record: Members): RecordFault | null {
  if (!has(record, 'informed_by')) return null;
  const hashes: unknown = record['informed_by'];
  if (!Array.isArray(hashes) || hashes.length === 0 || !hashes.every(isHash)) {
    return fault('informed_by', 'informed_by must be a list of at least one "sha256:" hash, or absent');
  }
  const rising = hashes.every((hash, at) => at === 0 || hash > (hashes[at - 1] ?? ''));
  return rising ? null : fault('informed_by_order', 'informed_by must be sorted and without duplicates');
}

/** `annotates`, `revises` and `checkpoint` stand only and always on the type they belong to. */
function targetFault(record: Members): RecordFault | null {
  for (const [member, type] of [
    ['annotates', ANNOTATION],
    ['revises', REVISION],
  ] as const) {
    const belongs = record['event_type'] === type;
    if (has(record, member) !== belongs) return fault(member, `${member} must stand on "${type}" and nowhere else`);
    if (belongs && !isHash(record[member])) return notHash(member);
  }
  const isCheckpoint = record['event_type'] === SESSION_CHECKPOINT;
  if (isCheckpoint ? isJsonObject(record['checkpoint']) : !has(record, 'checkpoint')) return null;
  return fault('checkpoint', `checkpoint must be an object on "${SESSION_CHECKPOINT}" and nowhere else`);
}

function genesisFault(record: Members): RecordFault | null {
  if (!has(record, 'provenance_token') && !has(record, 'delegation_cert_hash')) return null;
  const isGenesis = record['chain_root'] === genesisChainRoot(String(record['context_id']));
  if (has(record, 'provenance_token')) {
    if (bytesIn(record['provenance_token']) !== 16) {
      return fault('provenance_token', 'provenance_token must be 16 bytes in base64url');
    }
    if (!isGenesis) return fault('provenance_token', "provenance_token stands on a context's first record only");
  }
  if (!has(record, 'delegation_cert_hash')) return null;
  if (!isHash(record['delegation_cert_hash'])) return notHash('delegation_cert_hash');
  if (isGenesis || record['event_type'] === KEY_REVOCATION) return null;
  return fault('delegation_cert_hash', 'delegation_cert_hash stands on a first record or a key_revocation only');
}

function optionalFault(record: Members): RecordFault | null {
  for (const member of ['args_hash', 'result_hash'] as const) {
    if (has(record, member) && !isHash(record[member])) return notHash(member);
  }
  for (const member of ['args_salt', 'result_salt'] as const) {
    if (has(record, member) && bytesIn(record[member]) < 16) {
      return fault(member, `${member} must be at least 16 bytes in base64url`);
    }
  }
  // Published vectors carry a session_token that is not 16 bytes and must verify, so only its type is held to.
  for (const member of ['tool_name', 'session_token'] as const) {
    if (has(record, member) && typeof record[member] !== 'string') return fault(member, `${member} must be a string`);
  }
  return null;
}

function signatureFault(record: Members): RecordFault | null {
  if (has(record, 'signers')) {
    if (record['event_type'] !== TRANSACTION) return fault('signers', `signers stands on "${TRANSACTION}" only`);
    const signers: unknown = record['signers'];
    if (!Array.isArray(signers) || !signers.every(isSignerEntry)) {
      return fault('signers', 'signers must be a list of {creator_key, signature}');
    }
    return null;
  }
  return isSignature(record['signature'])
    ? null
    : fault('signature_malformed', 'signature must be 64 bytes in base64url');
}

function isSignerEntry(entry: unknown): boolean {
  return isJsonObject(entry) && typeof entry['creator_key'] === 'string' && typeof entry['signature'] === 'string';
}

function has(record: Members, member: string): boolean {
  return Object.hasOwn(record, member);
}

/** Number of bytes a base64url text holds, -1 when it is none. */
function bytesIn(value: unknown): number {
  return typeof value === 'string' ? (decodeBase64url(value)?.length ?? -1) : -1;
}

function fault(code: RecordFaultCode, message: string): RecordFault {
  return { code, message };
}

function notHash(code: RecordFaultCode): RecordFault {
  return fault(code, `${code} must be "sha256:" and 64 lower-case hex digits`);
}

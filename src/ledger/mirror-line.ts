/** One line of an atrib mirror, in any of the shapes its writers leave (atrib.md 2). */
import { isUtf8 } from 'node:buffer';
import { isJsonObject } from '../record/json-object.ts';
import type { JsonObject } from '../record/thought.ts';
import { depthOf, MAX_LEVELS, parseJson } from './json-text.ts';
import { recordHash } from './record.ts';
import type { AtribRecord, Hash } from './types.ts';

/** Longest line that is read, in bytes without its newline. */
export const MAX_MIRROR_LINE = 4 * 2 ** 20;

export type MirrorLineFault = 'too_long' | 'not_utf8' | 'too_deep' | 'not_json' | 'not_a_record' | 'not_canonical';

export type MirrorLine =
  | {
      readonly ok: true;
      /** Every member the line has. Only what makes it a record was looked at: see `verifyRecord` for the rest. */
      readonly record: AtribRecord;
      /** Of the members as they are stored, whatever the line itself states. */
      readonly hash: Hash;
      /** The unsigned sidecar as it is stored. */
      readonly local: JsonObject | null;
      /** The line's own `record_hash`; proves nothing. */
      readonly statedHash?: string;
      /** The line's proof bundle, unread. */
      readonly proof?: JsonObject;
    }
  | { readonly ok: false; readonly code: MirrorLineFault; readonly message: string };

/**
 * Reads one line without its newline: a bare record, an envelope `{record, _local?, written_at?, proof?, record_hash?}`
 * or `{signed_record, record_hash?}`.
 *
 * A record has a context, a key, a type, a finite time and a signature or `signers`. What else it lacks or has wrong is
 * for `verifyRecord` to say, so that a trace shows it instead of hiding it.
 */
export function readMirrorLine(bytes: Uint8Array): MirrorLine {
  if (bytes.length > MAX_MIRROR_LINE) {
    return fault('too_long', `A line is at most ${MAX_MIRROR_LINE} bytes, got ${bytes.length}`);
  }
  if (!isUtf8(bytes)) return fault('not_utf8', 'The line is not UTF-8');
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  if (depthOf(text) > MAX_LEVELS) return fault('too_deep', `The line is nested more than ${MAX_LEVELS} levels deep`);
  const line = parseJson(text);
  if (line === undefined) return fault('not_json', 'The line is not JSON');
  if (!isJsonObject(line)) return fault('not_a_record', 'The line is not a JSON object');
  // A record may have a member `record` of its own, which is then no record.
  const inside = [line['record'], line['signed_record']].find(isRecord);
  const record = inside ?? line;
  if (!isRecord(record)) {
    const wanted = 'context_id, creator_key, event_type, timestamp and signature or signers';
    return fault('not_a_record', `The line is no record: wanted ${wanted}`);
  }
  const hash = hashOf(record);
  if (hash === null) return fault('not_canonical', 'The record holds a value that RFC 8785 JSON cannot express');
  if (inside === undefined) return { ok: true, record, hash, local: null };
  const { _local: local, record_hash: statedHash, proof } = line;
  return {
    ok: true,
    record,
    hash,
    local: isJsonObject(local) ? local : null,
    ...(typeof statedHash === 'string' ? { statedHash } : {}),
    ...(isJsonObject(proof) ? { proof } : {}),
  };
}

/** A line of white space alone is no line: writers of atrib end their files with one or more. */
export function isBlankLine(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d));
}

function hashOf(record: AtribRecord): Hash | null {
  try {
    return recordHash(record);
  } catch {
    return null;
  }
}

/** What is taken for a record; its members' meaning is still open. */
function isRecord(value: unknown): value is AtribRecord {
  if (!isJsonObject(value)) return false;
  const { context_id, creator_key, event_type, timestamp, signature, signers } = value;
  return (
    typeof context_id === 'string' &&
    typeof creator_key === 'string' &&
    typeof event_type === 'string' &&
    Number.isFinite(timestamp) &&
    (typeof signature === 'string' || Array.isArray(signers))
  );
}

function fault(code: MirrorLineFault, message: string): MirrorLine {
  return { ok: false, code, message };
}

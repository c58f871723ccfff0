/** Reading an event file, and whether its parts belong together. */
import { isUtf8 } from 'node:buffer';
import { isEventEnvelope } from './envelope-schema.ts';
import { hashOf } from './hash.ts';
import { jcs } from './jcs.ts';
import { depthOf, MAX_LEVELS, parseJson } from './json-text.ts';
import type { EventEnvelope, Hash, Sidecar } from './types.ts';
import { logNameOf } from './writer.ts';

/** Largest event file that is read. Events carry digests and a reason, never a body. */
export const MAX_EVENT_BYTES = 256 * 1024;

export type EventLineVerdict =
  | {
      readonly ok: true;
      readonly envelope: EventEnvelope;
      /** The line as it is stored. */
      readonly text: string;
    }
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
  if (!isUtf8(bytes)) return unreadable('not_utf8', 'The event is not UTF-8');
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  const end = text.indexOf('\n');
  if (end >= 0 && end < text.length - 1) {
    return { ok: false, code: 'extra_line', message: 'An event file holds one line, got more', line: 2 };
  }
  if (text.trim() === '') return unreadable('empty', 'The event file is empty');
  if (depthOf(text) > MAX_LEVELS) {
    return unreadable('not_canonical', `The event is nested more than ${MAX_LEVELS} levels deep`);
  }
  const value = parseJson(text);
  if (value === undefined) return unreadable('not_json', 'The event is not JSON');
  let problem = '';
  const report = (message: string) => {
    problem = message;
  };
  if (!isEventEnvelope(value, report)) return unreadable('malformed', `The event is malformed: ${problem}`);
  // Found here, so that hashing what was read never throws.
  if (mayNotBeCanonical(text) && !isCanonical(value)) {
    return unreadable('not_canonical', 'The event holds a value that RFC 8785 JSON cannot express');
  }
  return { ok: true, envelope: value, text };
}

/**
 * Of what JSON can spell, RFC 8785 cannot express lone surrogates, which UTF-8 text holds as escapes only, and numbers
 * beyond a double, which need an exponent of three digits or as many digits. Looking for those first saves most events
 * a whole canonicalisation.
 */
function mayNotBeCanonical(text: string): boolean {
  return text.includes('\\u') || LARGE_NUMBER.test(text);
}

/** After what comes before a number: a hash is full of digits that would look like one. */
const LARGE_NUMBER = /[[:,\s]-?(?:[0-9.]+[eE]\+?[0-9]{3}|[0-9]{300})/;

function isCanonical(value: unknown): boolean {
  try {
    jcs(value);
    return true;
  } catch {
    return false;
  }
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

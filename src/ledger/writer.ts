/** Names and places of a writer's log: one key, one folder, one file an event. */
import { decodeBase64url } from './base64url.ts';
import { sha256 } from './hash.ts';

const EVENT_PATH = /^ledger\/([0-9a-f]{16})\/([0-9a-f]{4})\/([0-9a-f]{2})\/([0-9a-f]{2})\.jsonl$/;

/** Every event asks for it, and a ledger has few writers. */
const names = new Map<string, string>();
const NAMES_MAX = 256;

/** The first 16 hex digits of SHA-256 of the raw public key. */
export function logNameOf(publicKey: string): string {
  const known = names.get(publicKey);
  if (known !== undefined) return known;
  const key = decodeBase64url(publicKey);
  if (key?.length !== 32) throw new TypeError(`Expected a 32-byte public key in base64url, got "${publicKey}"`);
  const name = Buffer.from(sha256(key)).toString('hex', 0, 8);
  // Hostile records can empty the cache, never grow it.
  if (names.size >= NAMES_MAX) names.clear();
  names.set(publicKey, name);
  return name;
}

/**
 * `ledger/<log>/<hhhh>/<hh>/<hh>.jsonl`: the sequence number as eight hex digits, so that no folder holds more than
 * 256 events and a commit rewrites only small trees.
 */
export function eventPath(log: string, seq: number): string {
  if (!Number.isInteger(seq) || seq < 0 || seq > 0xffffffff) throw new RangeError(`No event file has number ${seq}`);
  const hex = seq.toString(16).padStart(8, '0');
  return `ledger/${log}/${hex.slice(0, 4)}/${hex.slice(4, 6)}/${hex.slice(6)}.jsonl`;
}

/** The log and number an event path names, `null` for any other path. */
export function parseEventPath(path: string): { readonly log: string; readonly seq: number } | null {
  const match = EVENT_PATH.exec(path);
  if (match === null) return null;
  const [, log = '', ...digits] = match;
  return { log, seq: Number.parseInt(digits.join(''), 16) };
}

export function checkpointPath(log: string): string {
  return `ledger/${log}/checkpoint`;
}

export function isCheckpointPath(path: string): boolean {
  return /^ledger\/[0-9a-f]{16}\/checkpoint$/.test(path);
}

/** Whether text can be the name of a log: see {@link logNameOf}. */
export function isLogName(text: string): boolean {
  return /^[0-9a-f]{16}$/.test(text);
}

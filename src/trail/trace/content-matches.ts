/** Whether a sidecar is the one its record commits to (atrib.md 1.6). */
import { decodeBase64url } from '../../ledger/base64url.ts';
import { hashOf, isHash } from '../../ledger/hash.ts';
import { jcs } from '../../ledger/jcs.ts';
import type { AtribRecord } from '../../ledger/types.ts';
import type { JsonObject } from '../../record/thought.ts';

/**
 * `undefined` when there is nothing to compare. Writers of observations commit to `content`, wrappers of tools to `args`,
 * Waymark to the whole sidecar; the keyed form that atrib allows cannot be told from a mismatch.
 */
export function contentMatches(record: AtribRecord, local: JsonObject | null): boolean | undefined {
  const { args_hash: committed } = record;
  if (local === null || !isHash(committed)) return undefined;
  const salt = record['args_salt'];
  const salted = typeof salt === 'string' ? decodeBase64url(salt) : null;
  const candidates = record.waymark === undefined ? [local['content'], local['args']] : [local];
  const present = candidates.filter((candidate) => candidate !== undefined);
  if (present.length === 0) return undefined;
  return present.some((candidate) => commitmentTo(candidate, salted) === committed);
}

/** `null` for a value that has no canonical form, which nobody can have committed to. */
function commitmentTo(value: unknown, salt: Uint8Array | null): string | null {
  try {
    const bytes = jcs(value);
    return salt === null ? hashOf(bytes) : hashOf(Buffer.concat([salt, bytes]));
  } catch {
    return null;
  }
}

/** Whether the unsigned sidecar beside a record is the one it was signed with (atrib.md 1.6). */
import type { JsonObject } from '../record/thought.ts';
import { decodeBase64url } from './base64url.ts';
import { isHash, sha256 } from './hash.ts';
import { jcs } from './jcs.ts';
import type { AtribRecord } from './types.ts';

/**
 * Whether the record's signed `args_hash` commits to this sidecar; `undefined` when the record commits to nothing or the
 * sidecar holds nothing it could have committed to.
 *
 * atrib commits to `content`, or to the `args` of a tool call, with the bytes of a revealed `args_salt` before it if
 * there is one. Waymark's own records commit to the whole sidecar, apart from a `content` that a mirror added.
 */
export function sidecarMatches(record: AtribRecord, local: JsonObject | null): boolean | undefined {
  const { args_hash, args_salt } = record;
  if (!isHash(args_hash) || local === null) return undefined;
  const salt = args_salt === undefined ? Buffer.alloc(0) : decodeBase64url(String(args_salt));
  const committed = committedBy(record, local);
  if (committed.length === 0) return undefined;
  return salt !== null && committed.some((value) => digestOf(salt, value) === args_hash);
}

function committedBy(record: AtribRecord, local: JsonObject): readonly unknown[] {
  const { content, ...rest } = local;
  if (record.waymark !== undefined) return [rest];
  return [content, local['args']].filter((value) => value !== undefined);
}

/** `null` for a value that has no canonical form, which no record can have committed to. */
function digestOf(salt: Uint8Array, value: unknown): string | null {
  try {
    return `sha256:${Buffer.from(sha256(salt, jcs(value))).toString('hex')}`;
  } catch {
    return null;
  }
}

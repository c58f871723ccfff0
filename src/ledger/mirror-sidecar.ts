/** The unsigned sidecar of a record: what it says in one form, and whether the record committed to it (atrib.md 1.6, 2). */
import type { Json, JsonObject } from '../record/thought.ts';
import { decodeBase64url } from './base64url.ts';
import { isHash, sha256 } from './hash.ts';
import { jcs } from './jcs.ts';
import { isJsonObject } from './json-text.ts';
import type { AtribRecord } from './types.ts';

/** Members of a tool call's or a span's sidecar, and what the content derived from them calls them. */
const DERIVED = {
  tool_name: ['tool_name', 'toolName'],
  span_kind: ['span_kind'],
  span_name: ['span_name'],
  model_name: ['model_name'],
  prompt_version: ['prompt_version'],
  input: ['input', 'args'],
  output: ['output', 'result'],
} as const;

/** `content` of a sidecar, or what stands for it where the writer left none; `null` when there is neither. */
export function contentOf(local: JsonObject): JsonObject | null {
  const { content } = local;
  if (isJsonObject(content)) return content;
  const derived: Record<string, Json> = {};
  for (const [name, members] of Object.entries(DERIVED)) {
    const found = members.map((member) => local[member]).find((value) => value !== undefined);
    if (found !== undefined) derived[name] = found;
  }
  return Object.keys(derived).length === 0 ? null : derived;
}

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

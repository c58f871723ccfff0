import { isJsonObject } from '../json-object.ts';
import type { Json, JsonObject, Thought } from '../thought.ts';
import { emitEntry } from './emit.ts';
import { writeFloat } from './number.ts';
import { assertWellFormed } from './scalar.ts';
import { FIELDS, type Frontmatter, METADATA_FIELDS } from './schema.ts';

/**
 * The thought as its file: `---`, frontmatter, `---`, body verbatim.
 *
 * Fields, their order and the omission of absent ones are those of FAVA; the YAML has PyYAML's bytes for printable ASCII.
 * The body ends where it ends: no newline is added. Limits of size are the caller's to check.
 *
 * @throws Error for what no file can hold: a lone surrogate, a number that is not finite, nesting past the limit, and a
 * name in `unknown` that is a known field.
 */
export function encodeThought(thought: Thought): string {
  assertWellFormed(thought.body);
  return `---\n${encodeFrontmatter(thought)}---\n${thought.body}`;
}

/** The YAML between the fences, each line ended by a newline. */
export function encodeFrontmatter(thought: Frontmatter): string {
  const { metadata: unknownMetadata, ...unknown } = thought.unknown ?? {};
  const known: readonly (readonly [string, Json | undefined])[] = [
    ['thought_id', thought.thought_id],
    ['parent_id', thought.parent_id],
    ['superseded_by', thought.superseded_by],
    ['superseded_scope', thought.superseded_scope],
    ['supersedes_id', thought.supersedes_id],
    ['supersedes_scope', thought.supersedes_scope],
    ['agent_id', thought.agent_id],
  ];
  const rest: readonly (readonly [string, Json | undefined])[] = [
    ['source_type', thought.source_type],
    ['validation_status', thought.validation_status],
    ['intent_ref', thought.intent_ref],
    ['created_at', thought.created_at],
    ['relationships', thought.relationships.map(({ type, target_id }) => ({ type, target_id }))],
    ['metadata', metadataMap(thought, unknownMetadata)],
    ...Object.entries(unknown),
  ];
  assertUnknown(unknown, FIELDS);
  return `schema_version: 1\n${emitFields(known)}confidence: ${writeFloat(thought.confidence)}\n${emitFields(rest)}`;
}

function emitFields(fields: readonly (readonly [string, Json | undefined])[]): string {
  let out = '';
  for (const [name, value] of fields) {
    if (value !== undefined) out += `${emitEntry(name, value)}\n`;
  }
  return out;
}

function metadataMap(thought: Frontmatter, unknown: Json | undefined): JsonObject {
  const { project, branch, tags, extra } = thought.metadata;
  const known = { ...(project !== undefined && { project }), ...(branch !== undefined && { branch }), tags, extra };
  if (unknown === undefined) return known;
  if (!isJsonObject(unknown)) {
    throw new Error('Cannot write "unknown.metadata": it holds the unknown keys of "metadata" and must be a map');
  }
  assertUnknown(unknown, METADATA_FIELDS);
  return { ...known, ...unknown };
}

function assertUnknown(map: object, known: ReadonlySet<string>): void {
  const name = Object.keys(map).find((key) => known.has(key));
  if (name !== undefined) throw new Error(`Cannot write "${name}" as an unknown key: it is a field of its own`);
}

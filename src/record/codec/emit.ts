import type { Json, JsonObject } from '../thought.ts';
import { NESTING_LIMIT } from './limits.ts';
import { writeNumber } from './number.ts';
import { writeSimpleKey, writeString } from './scalar.ts';

/** PyYAML writes `key: value` on one line when key and tag (`!!str`) are shorter than 128. */
const SIMPLE_KEY_LIMIT = 128 - '!!str'.length;

/** Where a node starts and how deep it is nested. */
interface NodePlace {
  readonly indent: number;
  readonly depth: number;
}

/**
 * Writes one mapping entry in PyYAML's block style: lists are not indented under their key, empty ones are `[]` and `{}`.
 *
 * The text has no line break at its end; its first line starts at the place's indent, which is not written.
 *
 * @throws Error past {@link NESTING_LIMIT}, for a number that is not finite and for a lone surrogate.
 */
export function emitEntry(key: string, value: Json, place: NodePlace = { indent: 0, depth: 1 }): string {
  const { indent } = place;
  if (key === '' || key.length >= SIMPLE_KEY_LIMIT) {
    const written = writeString(key, { column: indent + 2, indent: indent + 2 });
    return `? ${written}\n${' '.repeat(indent)}: ${emitInline(value, place)}`;
  }
  const written = writeSimpleKey(key);
  if (isScalar(value)) {
    return `${written}: ${emitScalar(value, { column: indent + written.length + 2, indent: indent + 2 })}`;
  }
  if (isEmpty(value)) return `${written}: ${Array.isArray(value) ? '[]' : '{}'}`;
  const inner = Array.isArray(value) ? indent : indent + 2;
  return `${written}:\n${' '.repeat(inner)}${emitBlock(value, { indent: inner, depth: place.depth + 1 })}`;
}

/** What follows the two columns of `- `, `? ` or `: `. */
function emitInline(value: Json, place: NodePlace): string {
  const indent = place.indent + 2;
  if (isScalar(value)) return emitScalar(value, { column: indent, indent });
  if (isEmpty(value)) return Array.isArray(value) ? '[]' : '{}';
  return emitBlock(value, { indent, depth: place.depth + 1 });
}

function emitBlock(value: readonly Json[] | JsonObject, place: NodePlace): string {
  if (place.depth > NESTING_LIMIT) throw new Error(`Cannot write more than ${NESTING_LIMIT} levels of maps and lists`);
  const lines = isList(value)
    ? value.map((item) => `- ${emitInline(item, place)}`)
    : Object.entries(value).map(([key, item]) => emitEntry(key, item, place));
  return lines.join(`\n${' '.repeat(place.indent)}`);
}

type JsonScalar = string | number | boolean | null;

function emitScalar(value: JsonScalar, place: { column: number; indent: number }): string {
  if (typeof value === 'string') return writeString(value, place);
  return typeof value === 'number' ? writeNumber(value) : String(value);
}

function isScalar(value: Json): value is JsonScalar {
  return typeof value !== 'object' || value === null;
}

/** `Array.isArray` does not narrow readonly arrays. */
function isList(value: readonly Json[] | JsonObject): value is readonly Json[] {
  return Array.isArray(value);
}

function isEmpty(value: readonly Json[] | JsonObject): boolean {
  return isList(value) ? value.length === 0 : Object.keys(value).length === 0;
}

/**
 * Fields that also take their JSON text.
 *
 * Several clients send arrays, numbers, booleans and objects as strings. Only non-string fields may be wrapped: a body
 * of `123` must stay a string. What does not parse is left alone, so that the error speaks of what was sent.
 */
import * as z from 'zod';
import { isJsonObject } from '../record/json-object.ts';
import type { JsonObject } from '../record/thought.ts';

/** Accepts `schema`'s input or a string holding it as JSON; advertises `schema` alone. */
export function lenient<S extends z.ZodType>(schema: S) {
  return z.preprocess(parseJsonText, schema);
}

/** A free JSON object. Not `z.json()`, which advertises a recursive `$ref` that some clients refuse. */
export function jsonObject() {
  return lenient(z.custom<JsonObject>(isJsonObject, 'expected object').meta({ type: 'object' }));
}

function parseJsonText(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

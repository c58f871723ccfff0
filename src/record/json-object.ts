import type { JsonObject } from './thought.ts';

/** Whether a value that JSON or YAML gave is a map, and not a list. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

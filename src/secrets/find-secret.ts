/** Looks for secrets in a whole input, before anything of it is validated, stored, signed or logged. */
import { fieldPath } from '../record/field-path.ts';
import { SECRET_PATTERNS } from './patterns.ts';

/** The root is level 0. */
export const MAX_NESTING = 32;
export const TOO_DEEP = 'nested_structure_too_deep';

export interface FoundSecret {
  /** Id of the pattern, or {@link TOO_DEEP}. */
  readonly rule: string;
  /** Where, e.g. `metadata.tags[0]`; of a key that is itself a secret, `<key>`. Empty for the root. */
  readonly field: string;
}

/**
 * The first secret in any string or key of plain data, or `null`. What lies deeper than {@link MAX_NESTING} cannot be
 * checked and counts as found. Never returns any of the text.
 */
export function findSecret(value: unknown): FoundSecret | null {
  return findIn(value, { field: '', depth: 0 });
}

function findIn(value: unknown, at: { field: string; depth: number }): FoundSecret | null {
  const { field, depth } = at;
  if (depth > MAX_NESTING) return { rule: TOO_DEEP, field };
  if (typeof value === 'string') {
    const rule = ruleOf(value);
    return rule === null ? null : { rule, field };
  }
  if (typeof value !== 'object' || value === null) return null;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      const found = findIn(item, { field: fieldPath(field, index), depth: depth + 1 });
      if (found) return found;
    }
    return null;
  }
  for (const [key, item] of Object.entries(value)) {
    const rule = ruleOf(key);
    if (rule !== null) return { rule, field: field === '' ? '<key>' : `${field}.<key>` };
    const found = findIn(item, { field: fieldPath(field, key), depth: depth + 1 });
    if (found) return found;
  }
  return null;
}

function ruleOf(text: string): string | null {
  return SECRET_PATTERNS.find(({ pattern }) => pattern.test(text))?.id ?? null;
}

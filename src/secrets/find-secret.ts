/** Looks for secrets in a whole input, before anything of it is validated, stored, signed or logged. */
import { fieldPath } from '../record/field-path.ts';
import { ASSIGNMENT_RULE, CREDENTIAL_RULES } from './credentials.ts';
import { TOKEN_RULES } from './patterns.ts';
import { OBJECT_RULES, PRIVATE_KEY_RULES } from './private-keys.ts';
import { readingsOf } from './readings.ts';
import type { SecretRule } from './rule.ts';

/** The root is level 0. */
export const MAX_NESTING = 32;
export const TOO_DEEP = 'nested_structure_too_deep';

/** In the order in which they are named: the most telling first. */
export const SECRET_RULES: readonly SecretRule[] = [
  ...PRIVATE_KEY_RULES,
  ...OBJECT_RULES,
  ...TOKEN_RULES,
  ...CREDENTIAL_RULES,
  ASSIGNMENT_RULE,
];
/** Of an object that came as data, its members written as text. */
const MEMBER_RULES: readonly SecretRule[] = [...OBJECT_RULES, ASSIGNMENT_RULE];
/** Longer members are texts, which are looked at by themselves. */
const MEMBER_LENGTH = 4_096;

export interface FoundSecret {
  /** Id of the rule, or {@link TOO_DEEP}. */
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

/** Ids of all rules that find something in a text. */
export function secretRulesIn(text: string): readonly string[] {
  const readings = readingsOf(text);
  return SECRET_RULES.filter((rule) => readings.some(rule.finds)).map(({ id }) => id);
}

function findIn(value: unknown, at: { field: string; depth: number }): FoundSecret | null {
  const { field, depth } = at;
  if (depth > MAX_NESTING) return { rule: TOO_DEEP, field };
  if (typeof value === 'string') {
    const rule = ruleOf(value, SECRET_RULES);
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
    const rule = ruleOf(key, SECRET_RULES);
    if (rule !== null) return { rule, field: field === '' ? '<key>' : `${field}.<key>` };
    const found = findIn(item, { field: fieldPath(field, key), depth: depth + 1 }) ?? findInMember(key, item, field);
    if (found) return found;
  }
  const together = ruleOf(membersOf(value).join('\n'), OBJECT_RULES);
  return together === null ? null : { rule: together, field };
}

function findInMember(key: string, value: unknown, parent: string): FoundSecret | null {
  const texts = (Array.isArray(value) ? value : [value]).filter((item) => typeof item === 'string');
  const rule = ruleOf(texts.map((text) => memberText(key, text)).join('\n'), MEMBER_RULES);
  return rule === null ? null : { rule, field: fieldPath(parent, key) };
}

function membersOf(value: object): readonly string[] {
  return Object.entries(value).map(([key, item]) => (typeof item === 'string' ? memberText(key, item) : ''));
}

function memberText(key: string, value: string): string {
  return key.length + value.length > MEMBER_LENGTH ? '' : `"${key}": "${value}"`;
}

function ruleOf(text: string, rules: readonly SecretRule[]): string | null {
  const readings = readingsOf(text);
  return rules.find((rule) => readings.some(rule.finds))?.id ?? null;
}

/** RFC 8785 JSON, the one encoding everything in the ledger is hashed and signed in. */
import canonicalize from 'canonicalize';

/**
 * The canonical UTF-8 bytes of a JSON value.
 *
 * Object members that are `undefined` are left out, as in `JSON.stringify`.
 *
 * @throws {Error} for what JSON cannot say: `undefined` itself, NaN, Infinity, a lone surrogate, a cycle, or nesting
 *   deeper than the stack. Callers that read foreign text turn that into a verdict.
 */
export function jcs(value: unknown): Uint8Array {
  // The platform writes what lies in order more than twice as fast.
  const ordered = inOrder(value, 0);
  const text = ordered === SLOW ? canonicalize(value) : JSON.stringify(ordered);
  if (text === undefined) throw new TypeError(`Cannot canonicalize a value of type "${typeof value}"`);
  return Buffer.from(text, 'utf8');
}

/** Deeper values take the slow way, which reports a cycle. */
const MAX_DEPTH = 32;

const SLOW = Symbol('left to canonicalize');

/**
 * A copy with the members of its objects in order: of that `JSON.stringify` writes the canonical form, since RFC 8785
 * takes the form of numbers and strings from ECMAScript. Only well-formed strings, finite numbers, arrays and plain
 * objects; anything else is `SLOW`.
 */
function inOrder(value: unknown, depth: number): unknown {
  switch (typeof value) {
    case 'string':
      return value.isWellFormed() ? value : SLOW;
    case 'number':
      return Number.isFinite(value) ? value : SLOW;
    case 'boolean':
      return value;
    case 'object':
      break;
    default:
      return SLOW;
  }
  if (value === null) return null;
  if (depth >= MAX_DEPTH) return SLOW;
  return Array.isArray(value) ? itemsInOrder(value, depth + 1) : membersInOrder(value, depth + 1);
}

function itemsInOrder(list: readonly unknown[], depth: number): unknown {
  const ordered: unknown[] = [];
  for (const item of list) {
    const member = inOrder(item, depth);
    if (member === SLOW) return SLOW;
    ordered.push(member);
  }
  return ordered;
}

function membersInOrder(value: object, depth: number): unknown {
  if (Object.getPrototypeOf(value) !== Object.prototype) return SLOW;
  const ordered: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value).sort(byKey)) {
    const member = inOrder(item, depth);
    if (member === SLOW || IS_SPECIAL.test(key) || !key.isWellFormed()) return SLOW;
    ordered[key] = member;
  }
  return ordered;
}

/** Objects keep keys that are numbers in front; `__proto__` and `toJSON` mean something to the platform. */
const IS_SPECIAL = /^[0-9]|^__proto__$|^toJSON$/;

function byKey([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1;
}

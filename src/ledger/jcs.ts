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
  // What was read from a canonical line is in order already, and the platform writes it three times as fast.
  const text = isInOrder(value, 0) ? JSON.stringify(value) : canonicalize(value);
  if (text === undefined) throw new TypeError(`Cannot canonicalize a value of type "${typeof value}"`);
  return Buffer.from(text, 'utf8');
}

/** Deeper values take the slow way, which reports a cycle. */
const MAX_DEPTH = 32;

/**
 * Whether `JSON.stringify` already writes the canonical form: only well-formed strings, finite numbers, arrays and plain
 * objects whose members lie in order. RFC 8785 takes the form of numbers and strings from ECMAScript.
 */
function isInOrder(value: unknown, depth: number): boolean {
  switch (typeof value) {
    case 'string':
      return value.isWellFormed();
    case 'number':
      return Number.isFinite(value);
    case 'boolean':
      return true;
    case 'object':
      break;
    default:
      return false;
  }
  if (value === null) return true;
  if (depth >= MAX_DEPTH) return false;
  if (Array.isArray(value)) return value.every((item) => isInOrder(item, depth + 1));
  if (Object.getPrototypeOf(value) !== Object.prototype) return false;
  let last = '';
  for (const [key, item] of Object.entries(value)) {
    // `toJSON` would be called by the platform.
    if (key < last || key === 'toJSON' || !key.isWellFormed() || !isInOrder(item, depth + 1)) return false;
    last = key;
  }
  return true;
}

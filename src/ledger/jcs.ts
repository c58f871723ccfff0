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
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError(`Cannot canonicalize a value of type "${typeof value}"`);
  return Buffer.from(text, 'utf8');
}

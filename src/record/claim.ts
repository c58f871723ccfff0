/**
 * The claim: what a decision is about.
 *
 * It is the body and every field except those a decision itself changes, and the folder. Two thoughts with one claim
 * digest say the same; a digest that changed means the reviewer read something else.
 */
import canonicalize from 'canonicalize';
import { textDigest } from './text-digest.ts';
import type { JsonObject, Thought } from './thought.ts';

/** The claim as plain JSON. Unknown frontmatter stays under `unknown`, so that no key of it can pose as a field. */
export function claimOf(thought: Thought): JsonObject {
  const { validation_status, superseded_by, superseded_scope, relationships, metadata, unknown, ...fields } = thought;
  const { trust_gate, approval, ...extra } = metadata.extra;
  return {
    ...fields,
    relationships: relationships.map(({ type, target_id }) => ({ type, target_id })),
    metadata: { ...metadata, extra },
    ...(unknown !== undefined && Object.keys(unknown).length > 0 ? { unknown } : {}),
  };
}

/**
 * Hex SHA-256 of the claim's RFC 8785 (JCS) bytes. Throws on what JSON cannot hold (NaN, infinities, lone surrogates):
 * `checkLimits` refuses such a thought before.
 */
export function claimDigest(thought: Thought): string {
  const canonical = canonicalize(claimOf(thought));
  if (canonical === undefined) throw new TypeError('A claim is an object, so it has a canonical form');
  return textDigest(canonical);
}

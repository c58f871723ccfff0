/**
 * The row key carries visibility class and scope: `class * 2^44 + scope * 2^30 + seq`.
 *
 * "Governed in one scope" and "governed everywhere" are then one key range each, which FTS5 pushes down: withheld and
 * out-of-scope rows are never read, let alone filtered after the match. Fits a safe integer: 4 classes, 2^14 scopes,
 * 2^30 rows ever put into one scope.
 */
import type { VisibilityClass } from '../../record/visibility.ts';

const CLASS_SIZE = 2 ** 44;
const SCOPE_SIZE = 2 ** 30;
const SCOPES = CLASS_SIZE / SCOPE_SIZE;

export interface KeyParts {
  readonly class: VisibilityClass;
  readonly scope: number;
  readonly seq: number;
}

/** Inclusive at both ends. */
export interface KeyRange {
  readonly low: number;
  readonly high: number;
}

/** Throws when the index is full; a repository of 16,384 scopes or a scope of 2^30 rows is out of bounds. */
export function keyOf(parts: KeyParts): number {
  if (parts.scope >= SCOPES) throw new Error(`Scope number ${parts.scope} is not below ${SCOPES}: the index is full`);
  if (parts.seq >= SCOPE_SIZE) throw new Error(`Row number ${parts.seq} is not below ${SCOPE_SIZE}: rebuild the index`);
  return parts.class * CLASS_SIZE + parts.scope * SCOPE_SIZE + parts.seq;
}

/** Keys of one class, in one scope or (`null`) in all. */
export function rangeOf(visibility: VisibilityClass, scope: number | null): KeyRange {
  const low = visibility * CLASS_SIZE + (scope ?? 0) * SCOPE_SIZE;
  return { low, high: low + (scope === null ? CLASS_SIZE : SCOPE_SIZE) - 1 };
}

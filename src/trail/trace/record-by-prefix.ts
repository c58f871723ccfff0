/** A record by the beginning of its hash, as people type it. */
import { isHash } from '../../ledger/hash.ts';
import type { Hash } from '../../ledger/types.ts';
import { type Outcome, ok, refuse } from '../../record/outcome.ts';
import type { TraceSource } from './source.ts';

/** `sha256:` and 8 to 64 lower-case hex digits: of fewer, a million records share each. */
export function isHashPrefix(text: string): boolean {
  return /^sha256:[0-9a-f]{8,64}$/.test(text);
}

/** A whole hash stands for itself, whether or not the source has it. */
export function recordByPrefix(source: TraceSource, prefix: string): Outcome<Hash> {
  if (isHash(prefix)) return ok(prefix);
  const [first, second] = source.byPrefix(prefix, 2);
  if (first !== undefined && second === undefined) return ok(first);
  const next = 'Send the whole hash: "sha256:" and 64 hex digits';
  return first === undefined
    ? refuse('not_found', `No record whose hash begins with "${prefix}" is visible to you`, {
        field: 'record_hash',
        next,
      })
    : refuse('ambiguous', `More than one record has a hash that begins with "${prefix}"`, {
        field: 'record_hash',
        next,
      });
}

/** `informed_by` of a call: what the caller names as the causes of what it writes, and what becomes of each. */
import { isHash } from '../ledger/index.ts';
import type { Hash } from '../ledger/types.ts';
import { isIdPrefix } from '../record/ids.ts';
import { LIMITS } from '../record/limits.ts';
import { type Outcome, ok, type Refusal, refuse } from '../record/outcome.ts';
import type { Principal } from '../record/principal.ts';
import type { Index } from '../store/index/index.ts';
import type { TrailContext } from './context.ts';
import { findThought, viewsOf } from './find-thought.ts';
import { ownLog } from './trace/own-log.ts';
import { sourceFor } from './trace/trace.ts';

const FIELD = 'informed_by';

export interface NamedCauses {
  /** What the signed record names, unresolved hashes included: a dangling reference is legal (atrib.md 1.1). */
  readonly hashes: readonly Hash[];
  /** Entries, as the caller wrote them, that name nothing the caller may see. */
  readonly unresolved: readonly string[];
}

/** Refuses what no cause can be named by, before anything is looked up. */
export function checkCauses(entries: readonly string[] | undefined): Refusal | null {
  if (entries === undefined) return null;
  if (entries.length > LIMITS.causes) {
    return refuse('invalid', `"${FIELD}" has ${entries.length} entries, the limit is ${LIMITS.causes}`, {
      field: FIELD,
      next: 'Name those that mattered most',
      details: { size: entries.length, limit: LIMITS.causes },
    });
  }
  const at = entries.findIndex((entry) => !isHash(entry) && !isIdPrefix(entry));
  if (at < 0) return null;
  return refuse(
    'invalid',
    `Entry ${at} of "${FIELD}" is neither a thought id (or 4 or more of its first characters) nor a record hash ("sha256:" and 64 lower-case hex digits)`,
    {
      field: `${FIELD}[${at}]`,
      next: 'Send ids as recall shows them, or record hashes as trace shows them',
    },
  );
}

const WAIT_MS = 250;

/**
 * The hashes among the entries that a mirror holds and the caller may see. Asked before the lock is taken, and soon:
 * what does not show in time is kept all the same.
 */
export async function causesElsewhere(
  { repository, principal, mirrors }: TrailContext,
  entries: readonly string[] | undefined,
): Promise<ReadonlySet<Hash>> {
  const hashes = (entries ?? []).filter(isHash);
  if (mirrors === undefined || hashes.length === 0) return new Set();
  const known = await mirrors.askSoon(WAIT_MS, async (elsewhere) => {
    const { value } = await repository.read((index) => {
      const source = sourceFor(index, { principal, elsewhere });
      return hashes.filter((hash) => source.has(hash));
    });
    return value;
  });
  return new Set(known);
}

/**
 * Resolves checked entries: a thought gives its newest record, a hash stands as it is. What the caller may not see and
 * what does not exist are unresolved alike. Code `ambiguous` when a prefix names several visible thoughts.
 */
export function resolveCauses(
  index: Index,
  entries: readonly string[] | undefined,
  { principal, elsewhere }: { readonly principal: Principal; readonly elsewhere: ReadonlySet<Hash> },
): Outcome<NamedCauses> {
  const own = ownLog(index, principal);
  const hashes: Hash[] = [];
  const unresolved: string[] = [];
  for (const [at, entry] of (entries ?? []).entries()) {
    if (isHash(entry)) {
      hashes.push(entry);
      if (!own.has(entry) && !elsewhere.has(entry)) unresolved.push(entry);
      continue;
    }
    const found = findThought(index, entry, { principal, views: viewsOf(principal) });
    if (!found.ok && found.code === 'ambiguous') {
      const message = `Entry ${at} of "${FIELD}" names several thoughts`;
      return { ...found, field: `${FIELD}[${at}]`, message };
    }
    if (found.ok && found.value.event !== undefined) hashes.push(found.value.event);
    else unresolved.push(entry);
  }
  return ok({ hashes, unresolved: [...new Set(unresolved)] });
}

/** What an event's sidecar says of them: an unresolved id has no hash, so it can stand in no signed list. */
export function causesInSidecar({ unresolved }: NamedCauses): { unresolved?: readonly string[] } {
  const ids = unresolved.filter((entry) => !isHash(entry));
  return ids.length > 0 ? { unresolved: ids } : {};
}

/** What the answer says of them, beside a warning that is there already. */
export function causesInAnswer(
  { unresolved }: NamedCauses,
  other: { readonly warning?: string } = {},
): { unresolved?: readonly string[]; warning?: string } {
  if (unresolved.length === 0) return other;
  const said = 'Kept, but not found here: the entries of "informed_by" listed in "unresolved"';
  const { warning } = other;
  return { unresolved, warning: warning === undefined ? said : `${warning}. ${said}` };
}

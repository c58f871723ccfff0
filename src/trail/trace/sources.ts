/** Sources put together: several in turn, and one without the records that another decides about. */
import type { LinkKind } from '../../ledger/links.ts';
import type { Hash } from '../../ledger/types.ts';
import type { TraceRecord, TraceSource } from './source.ts';

/** The first that has a record gives it; children and other lists are joined in the order of the sources. */
export function inTurn(sources: readonly TraceSource[]): TraceSource {
  const joined = (list: (source: TraceSource) => readonly Hash[]) => [...new Set(sources.flatMap(list))];
  return {
    read(hash) {
      let found: TraceRecord | 'unreadable' | null = null;
      for (const source of sources) {
        const here = source.read(hash);
        if (here !== null && here !== 'unreadable') return here;
        found ??= here;
      }
      return found;
    },
    has: (hash) => sources.some((source) => source.has(hash)),
    statedLog: (hash) => sources.find((source) => source.has(hash))?.statedLog(hash) ?? null,
    children: (hash, kinds) => joined((source) => source.children(hash, kinds)),
    byPrefix: (prefix, limit) => joined((source) => source.byPrefix(prefix, limit)).slice(0, limit),
    ofContext: (contextId, limit) => joined((source) => source.ofContext(contextId, limit)).slice(0, limit),
    warnings: () => [...new Set(sources.flatMap((source) => source.warnings()))],
  };
}

/**
 * The source without what `isLeftOut` says, by hash and by the log it says it has a place in: absent in every method. No
 * bytes are read to tell, since a hub has any number of children.
 */
export function without(
  source: TraceSource,
  isLeftOut: (hash: Hash, statedLog: string | null) => boolean,
): TraceSource {
  const isKept = (hash: Hash) => !isLeftOut(hash, source.statedLog(hash));
  const has = (hash: Hash) => source.has(hash) && isKept(hash);
  return {
    ...source,
    read: (hash) => (has(hash) ? source.read(hash) : null),
    has,
    statedLog: (hash) => (has(hash) ? source.statedLog(hash) : null),
    children: (hash: Hash, kinds: readonly LinkKind[]) => source.children(hash, kinds).filter(isKept),
    byPrefix: (prefix, limit) => firstOf((size) => source.byPrefix(prefix, size), { limit, isKept }),
    ofContext: (contextId, limit) => firstOf((size) => source.ofContext(contextId, size), { limit, isKept }),
  };
}

/** The first `limit` that are kept: what is left out must not use the limit up. @param list gives its first so many */
export function firstOf(
  list: (size: number) => readonly Hash[],
  { limit, isKept }: { readonly limit: number; readonly isKept: (hash: Hash) => boolean },
): readonly Hash[] {
  for (let size = limit; ; size *= 2) {
    const found = list(size);
    const kept = found.filter(isKept);
    if (kept.length >= limit || found.length < size) return kept.slice(0, limit);
  }
}

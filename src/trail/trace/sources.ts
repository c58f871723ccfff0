/** Sources put together. */
import type { Hash } from '../../ledger/types.ts';
import type { ForeignSource, TraceRecord, TraceSource } from './source.ts';

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
    children: (hash, kinds) => joined((source) => source.children(hash, kinds)),
    byPrefix: (prefix, limit) => joined((source) => source.byPrefix(prefix, limit)).slice(0, limit),
    ofContext: (contextId, limit) => joined((source) => source.ofContext(contextId, limit)).slice(0, limit),
    warnings: () => [...new Set(sources.flatMap((source) => source.warnings()))],
  };
}

/** As {@link inTurn}, of records that all are of others. */
export function foreignInTurn(sources: readonly ForeignSource[]): ForeignSource {
  const withoutLogs = (isLeftOut: (log: string) => boolean) =>
    inTurn(sources.map((source) => source.withoutLogs(isLeftOut)));
  return { ...inTurn(sources), withoutLogs };
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

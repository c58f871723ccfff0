/** Sources put together: several in turn, and one without the records that another decides about. */
import type { LinkKind } from '../../ledger/links.ts';
import type { AtribRecord, Hash } from '../../ledger/types.ts';
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
    children: (hash, kinds) => joined((source) => source.children(hash, kinds)),
    byPrefix: (prefix, limit) => joined((source) => source.byPrefix(prefix, limit)).slice(0, limit),
    ofContext: (contextId, limit) => joined((source) => source.ofContext(contextId, limit)).slice(0, limit),
    warnings: () => [...new Set(sources.flatMap((source) => source.warnings()))],
  };
}

/** The source without what `isLeftOut` says: absent in every method, its bytes are read to tell. */
export function without(source: TraceSource, isLeftOut: (record: AtribRecord) => boolean): TraceSource {
  const read = (hash: Hash) => {
    const found = source.read(hash);
    return found !== null && found !== 'unreadable' && isLeftOut(found.record) ? null : found;
  };
  const has = (hash: Hash) => source.has(hash) && read(hash) !== null;
  return {
    ...source,
    read,
    has,
    children: (hash: Hash, kinds: readonly LinkKind[]) => source.children(hash, kinds).filter(has),
    byPrefix: (prefix, limit) => source.byPrefix(prefix, limit).filter(has),
    ofContext: (contextId, limit) => source.ofContext(contextId, limit).filter(has),
  };
}

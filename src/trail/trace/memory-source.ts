/** A trace source over records held in memory: what was fetched for a trace. */
import { leadsTo, linksOf, statedLogOf } from '../../ledger/links.ts';
import type { Hash } from '../../ledger/types.ts';
import { putBounded } from '../../record/put-bounded.ts';
import type { TraceRecord, TraceSource } from './source.ts';

/** Records beyond it push the oldest out; each has at most the size of one answer. */
const MAX_RECORDS = 500;

export interface MemorySource extends TraceSource {
  read(hash: Hash): TraceRecord | null;
  add(record: TraceRecord): void;
}

export function memorySource(): MemorySource {
  const records = new Map<Hash, TraceRecord>();
  const hashesWhere = (test: (record: TraceRecord) => boolean) =>
    [...records.values()]
      .filter(test)
      .sort((a, b) => a.record.timestamp - b.record.timestamp || (a.hash < b.hash ? -1 : 1))
      .map(({ hash }) => hash);
  return {
    add: (record) => putBounded(records, [record.hash, record], { limit: MAX_RECORDS }),
    read: (hash) => records.get(hash) ?? null,
    has: (hash) => records.has(hash),
    statedLog: (hash) => statedLogOf(records.get(hash)?.record ?? {}),
    children: (hash, kinds) =>
      hashesWhere(({ record }) => linksOf(record).some((link) => kinds.includes(link.kind) && leadsTo(link, hash))),
    byPrefix: (prefix, limit) => hashesWhere(({ hash }) => hash.startsWith(prefix)).slice(0, limit),
    ofContext: (contextId, limit) => hashesWhere(({ record }) => record.context_id === contextId).slice(0, limit),
    warnings: () => [],
  };
}

/** A trace source over records held in memory: what was fetched for a trace. */
import { leadsTo, linksOf, statedLog } from '../../ledger/links.ts';
import type { Hash } from '../../ledger/types.ts';
import type { ForeignSource, TraceRecord, TraceSource } from './source.ts';

/** Records beyond it push the oldest out; each has at most the size of one answer. */
const MAX_RECORDS = 500;

export interface MemorySource extends ForeignSource {
  read(hash: Hash): TraceRecord | null;
  add(record: TraceRecord): void;
}

export function memorySource(): MemorySource {
  const records = new Map<Hash, TraceRecord>();
  const withThose = (isThere: (record: TraceRecord) => boolean) => {
    const read = (hash: Hash) => {
      const found = records.get(hash);
      return found !== undefined && isThere(found) ? found : null;
    };
    const hashesWhere = (test: (record: TraceRecord) => boolean) =>
      [...records.values()]
        .filter((record) => isThere(record) && test(record))
        .sort((a, b) => a.record.timestamp - b.record.timestamp || (a.hash < b.hash ? -1 : 1))
        .map(({ hash }) => hash);
    return {
      read,
      has: (hash) => read(hash) !== null,
      children: (hash, kinds) =>
        hashesWhere(({ record }) => linksOf(record).some((link) => kinds.includes(link.kind) && leadsTo(link, hash))),
      byPrefix: (prefix, limit) => hashesWhere(({ hash }) => hash.startsWith(prefix)).slice(0, limit),
      ofContext: (contextId, limit) => hashesWhere(({ record }) => record.context_id === contextId).slice(0, limit),
      warnings: () => [],
    } satisfies TraceSource;
  };
  return {
    ...withThose(() => true),
    add(record) {
      records.set(record.hash, record);
      for (const oldest of records.keys()) {
        if (records.size <= MAX_RECORDS) break;
        records.delete(oldest);
      }
    },
    withoutLogs: (isLeftOut) =>
      withThose(({ record }) => {
        const log = statedLog(record);
        return log === null || !isLeftOut(log);
      }),
  };
}

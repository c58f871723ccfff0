/** A trace source over records held in memory: what was fetched for a trace, or handed over with it. */
import { leadsTo, linksOf } from '../../ledger/links.ts';
import type { Hash } from '../../ledger/types.ts';
import type { TraceRecord, TraceSource } from './source.ts';

/** Records beyond it push the oldest out; each has at most the size of one answer. */
const MAX_RECORDS = 500;

export class MemorySource implements TraceSource {
  readonly #records = new Map<Hash, TraceRecord>();

  add(record: TraceRecord): void {
    this.#records.set(record.hash, record);
    for (const oldest of this.#records.keys()) {
      if (this.#records.size <= MAX_RECORDS) break;
      this.#records.delete(oldest);
    }
  }

  read(hash: Hash): TraceRecord | null {
    return this.#records.get(hash) ?? null;
  }

  has(hash: Hash): boolean {
    return this.#records.has(hash);
  }

  children(hash: Hash, kinds: Parameters<TraceSource['children']>[1]): readonly Hash[] {
    return this.#hashesWhere(({ record }) =>
      linksOf(record).some((link) => kinds.includes(link.kind) && leadsTo(link, hash)),
    );
  }

  byPrefix(prefix: string, limit: number): readonly Hash[] {
    return this.#hashesWhere(({ hash }) => hash.startsWith(prefix)).slice(0, limit);
  }

  ofContext(contextId: string, limit: number): readonly Hash[] {
    return this.#hashesWhere(({ record }) => record.context_id === contextId).slice(0, limit);
  }

  warnings(): readonly string[] {
    return [];
  }

  #hashesWhere(test: (record: TraceRecord) => boolean): readonly Hash[] {
    return [...this.#records.values()]
      .filter(test)
      .sort((a, b) => a.record.timestamp - b.record.timestamp || (a.hash < b.hash ? -1 : 1))
      .map(({ hash }) => hash);
  }
}

/** Records in a Map as a source of a trace: what a walk is asked about, and nothing more. */
import { leadsTo, linksOf, statedLogOf } from '../../../src/ledger/links.ts';
import type { AtribRecord, Hash } from '../../../src/ledger/types.ts';
import type { TraceRecord, TraceSource } from '../../../src/trail/trace/source.ts';

export interface MemorySourceOptions {
  /** Hashes that are there and cannot be read. */
  readonly unreadable?: ReadonlySet<Hash>;
  readonly warnings?: readonly string[];
}

export function memorySource(found: readonly TraceRecord[], options: MemorySourceOptions = {}): TraceSource {
  const { unreadable = new Set(), warnings = [] } = options;
  const byHash = new Map(found.map((each) => [each.hash, each]));
  const inOrder = [...byHash.values()].sort(
    (a, b) => a.record.timestamp - b.record.timestamp || (a.hash < b.hash ? -1 : 1),
  );
  return {
    read: (hash) => (unreadable.has(hash) ? 'unreadable' : (byHash.get(hash) ?? null)),
    has: (hash) => unreadable.has(hash) || byHash.has(hash),
    statedLog: (hash) => statedLogOf(byHash.get(hash)?.record ?? {}),
    children: (hash, kinds) =>
      inOrder
        .filter(({ record }) => linksOf(record).some((link) => kinds.includes(link.kind) && leadsTo(link, hash)))
        .map((each) => each.hash),
    byPrefix: (prefix, limit) =>
      [...byHash.keys()]
        .filter((hash) => hash.startsWith(prefix))
        .sort()
        .slice(0, limit),
    ofContext: (contextId, limit) =>
      inOrder
        .filter(({ record }) => record.context_id === contextId)
        .map((each) => each.hash)
        .slice(0, limit),
    warnings: () => warnings,
  };
}

/** A hash that a number names. */
export function hashAt(number: number): Hash {
  return `sha256:${number.toString(16).padStart(64, '0')}`;
}

export const CONTEXT = '1'.repeat(32);

/** A record under a hash of our choice, unsigned: for walks, which check nothing. */
export function recordAt(number: number, causes: readonly number[] = [], over: Partial<AtribRecord> = {}): TraceRecord {
  const record: AtribRecord = {
    spec_version: 'atrib/1.0',
    content_id: hashAt(0),
    creator_key: 'A'.repeat(43),
    chain_root: hashAt(0xffffff),
    event_type: 'https://atrib.dev/v1/types/observation',
    context_id: CONTEXT,
    timestamp: number,
    signature: 'A'.repeat(86),
    ...(causes.length === 0 ? {} : { informed_by: causes.map(hashAt) }),
    ...over,
  };
  return { hash: hashAt(number), record, local: null, source: 'memory.jsonl' };
}

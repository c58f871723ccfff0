/** Nodes and edges of the graph of records (atrib specification 3.2), and the order of its nodes. */
import type { AtribRecord, Hash } from './types.ts';

export const EDGE_TYPES = [
  'CHAIN_PRECEDES',
  'SESSION_PRECEDES',
  'SESSION_PARALLEL',
  'CONVERGES_ON',
  'CROSS_SESSION',
  'INFORMED_BY',
  'PROVENANCE_OF',
  'ANNOTATES',
  'REVISES',
] as const;
export type EdgeType = (typeof EDGE_TYPES)[number];

export interface Edge {
  readonly type: EdgeType;
  /** A record hash, or the id of a gap node. */
  readonly source: string;
  /** A record hash; when dangling, `dangling:<hash>` or `dangling:provenance:<token>`. */
  readonly target: string;
  readonly directed: boolean;
  /** The set does not hold what the record names; the signed claim stays visible. */
  readonly dangling?: true;
}

export interface GraphRecord {
  readonly hash: Hash;
  readonly record: AtribRecord;
  /** Position in a public log: orders records of one context and one millisecond. */
  readonly logIndex?: number;
}

/** A step of a context that is known to have left no record. */
export interface GapNode {
  readonly id: string;
  readonly context_id: string;
}

/** Each once: by time, then log index, then hash. */
export function inOrder(records: Iterable<GraphRecord>): readonly GraphRecord[] {
  const unique = new Map<Hash, GraphRecord>();
  for (const node of records) if (!unique.has(node.hash)) unique.set(node.hash, node);
  return [...unique.values()].sort((a, b) => compareTime(a, b) || (a.hash < b.hash ? -1 : 1));
}

/** Negative when `a` came first, zero when neither time nor log tells. */
export function compareTime(a: GraphRecord, b: GraphRecord): number {
  const byTime = a.record.timestamp - b.record.timestamp;
  if (byTime !== 0 || a.logIndex === undefined || b.logIndex === undefined) return byTime;
  return a.logIndex - b.logIndex;
}

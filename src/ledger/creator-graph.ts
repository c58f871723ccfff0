/** What one creator did in a span of time, across its contexts (atrib specification 3.4.7, whose vectors ask for it). */
import { deriveEdges } from './edges.ts';
import { type Edge, type GraphRecord, inOrder } from './graph.ts';

export interface CreatorGraphOptions {
  /** base64url public key. */
  readonly creatorKey: string;
  /** Unix milliseconds, both included. @default everything */
  readonly window?: { readonly from: number; readonly to: number };
  /** Also the order within each context; without it what leads from context to context stands out. @default false */
  readonly includeIntraSession?: boolean;
  /** Most records to take. @default all of them */
  readonly limit?: number;
  /** Which end of the window is kept when the limit cuts. @default newest */
  readonly direction?: 'newest' | 'oldest';
}

export interface CreatorGraph {
  /** Oldest first, and without a hole between them: a sample would break chains. */
  readonly records: readonly GraphRecord[];
  readonly edges: readonly Edge[];
  /** Before the limit. */
  readonly totalInWindow: number;
  readonly truncated: boolean;
  readonly direction: 'newest' | 'oldest';
  readonly intraSessionEdgesFiltered: boolean;
  /** Times of the first and last record that is kept; `null` when there is none. */
  readonly effectiveWindow: { readonly from: number; readonly to: number } | null;
}

/** A record that the limit cut is absent from the graph: what names it dangles. */
export function creatorGraph(records: Iterable<GraphRecord>, options: CreatorGraphOptions): CreatorGraph {
  const { creatorKey, window, includeIntraSession = false, limit, direction = 'newest' } = options;
  const inWindow = inOrder(records).filter(
    ({ record: { creator_key, timestamp } }) =>
      creator_key === creatorKey && (window === undefined || (window.from <= timestamp && timestamp <= window.to)),
  );
  const excess = limit === undefined ? 0 : Math.max(0, inWindow.length - limit);
  const kept = direction === 'newest' ? inWindow.slice(excess) : inWindow.slice(0, inWindow.length - excess);
  const edges = deriveEdges(kept);
  const [first, last] = [kept[0], kept.at(-1)];
  return {
    records: kept,
    edges: includeIntraSession ? edges : edges.filter(({ type }) => !INTRA_SESSION.has(type)),
    totalInWindow: inWindow.length,
    truncated: excess > 0,
    direction,
    intraSessionEdgesFiltered: !includeIntraSession,
    effectiveWindow:
      first === undefined || last === undefined ? null : { from: first.record.timestamp, to: last.record.timestamp },
  };
}

const INTRA_SESSION: ReadonlySet<string> = new Set(['SESSION_PRECEDES', 'SESSION_PARALLEL']);

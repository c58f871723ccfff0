/** A trace as something to draw: the records, what is not here, and what names what. Every rendering is made of it. */
import { type LinkKind, leadsTo, linksOf } from '../../ledger/links.ts';
import type { Hash } from '../../ledger/types.ts';
import type { DanglingDetail, TraceResult, VisitedRecord } from './types.ts';

export interface TraceEdge {
  /** The record that holds the link. */
  readonly from: Hash;
  /** The earlier record that it names. */
  readonly to: Hash;
  readonly kind: LinkKind;
}

export interface TraceView {
  readonly result: TraceResult;
  readonly follow: readonly LinkKind[];
  /** In the order of the walk. */
  readonly records: ReadonlyMap<Hash, VisitedRecord>;
  readonly absent: ReadonlyMap<Hash, DanglingDetail>;
  /** Between records that are shown or known to be absent; in the order of the records. */
  readonly edges: readonly TraceEdge[];
}

export interface TraceViewOptions {
  readonly follow: readonly LinkKind[];
}

/** @param result Compact. @throws {Error} when it holds whole records, which say nothing of their sidecars */
export function traceView(result: TraceResult, { follow }: TraceViewOptions): TraceView {
  const records = new Map(result.visited.map((visited) => [visited.record_hash, compactOf(visited)]));
  const absent = new Map(result.dangling_details.map((detail) => [detail.record_hash, detail]));
  const shown = new Set([...records.keys(), ...absent.keys()]);
  const edges = [...records.values()].flatMap((record) => edgesFrom(record, { shown, follow }));
  return { result, follow, records, absent, edges: [...edges, ...cutEdges(result, { records, edges })] };
}

function edgesFrom(
  record: VisitedRecord,
  { shown, follow }: { readonly shown: ReadonlySet<Hash>; readonly follow: readonly LinkKind[] },
): readonly TraceEdge[] {
  const followed = linksOf({ ...record }).filter(({ kind }) => follow.includes(kind));
  return followed.flatMap((link) => {
    const targets = link.kind === 'provenance' ? [...shown].filter((hash) => leadsTo(link, hash)) : [link.target];
    const here = targets.filter((to) => shown.has(to));
    return here.map((to): TraceEdge => ({ from: record.record_hash, to, kind: link.kind }));
  });
}

/** A record names one other by each kind but `informed_by`, so only a list of those that was cut can hide a link. */
function cutEdges(
  { direction }: TraceResult,
  { records, edges }: Pick<TraceView, 'records' | 'edges'>,
): readonly TraceEdge[] {
  const known = new Set(edges.flatMap(({ from, to }) => [`${from} ${to}`, `${to} ${from}`]));
  return [...records.values()].flatMap(({ record_hash: hash, parent_hashes }) =>
    parent_hashes
      .filter((parent) => records.has(parent) && !known.has(`${parent} ${hash}`))
      .map((parent): TraceEdge => {
        const isCause =
          direction === 'backward' || (direction === 'both' && records.get(parent)?.informed_by_total !== undefined);
        return { from: isCause ? parent : hash, to: isCause ? hash : parent, kind: 'informed_by' };
      }),
  );
}

function compactOf(visited: TraceResult['visited'][number]): VisitedRecord {
  if ('record' in visited) throw new Error('Expected a compact trace');
  return visited;
}

/** For each record the first of those that led to it and came before. */
export function aboveOf({ records }: Pick<TraceView, 'records'>): ReadonlyMap<Hash, Hash> {
  const above = new Map<Hash, Hash>();
  const earlier = new Set<Hash>();
  for (const { record_hash, parent_hashes } of records.values()) {
    const parent = parent_hashes.find((hash) => earlier.has(hash));
    if (parent !== undefined) above.set(record_hash, parent);
    earlier.add(record_hash);
  }
  return above;
}

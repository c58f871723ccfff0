/** Which records a summary is about: those named, those of a context, and what one follows from. */
import type { LinkKind } from '../../ledger/links.ts';
import type { Hash } from '../../ledger/types.ts';
import type { TraceRecord, TraceSource } from '../trace/source.ts';
import { Walk } from '../trace/walk.ts';
import type { SummarizeRequest } from './check-input.ts';

export interface Gathered {
  /** Oldest first, at most as many as asked for. */
  readonly records: readonly TraceRecord[];
  /** More that are here. */
  readonly beyond: number;
  /** Named by the caller and not here. */
  readonly missing: number;
}

/** How far back a summary looks; there is no reading further. */
const DEPTH = 10;
const MAX_OF_CONTEXT = 1_000;
const CAUSES: readonly LinkKind[] = ['informed_by', 'annotates', 'revises'];
const DECISIONS: readonly LinkKind[] = ['annotates', 'revises'];

/** @param start the record that `from` names */
export function gather(source: TraceSource, request: SummarizeRequest, start: Hash | null): Gathered {
  const { hashes, contextId, maxRecords } = request;
  const named = start === null ? hashes : [start, ...hashes];
  const here = new Set(named.filter((hash) => source.has(hash)));
  // Named ones alone can be missing: the others are listed because they are here.
  const missing = new Set(named).size - here.size;
  if (start !== null) for (const hash of lineageOf(source, start, maxRecords)) here.add(hash);
  if (contextId !== undefined) for (const hash of source.ofContext(contextId, MAX_OF_CONTEXT)) here.add(hash);
  const found = new Map<Hash, TraceRecord>();
  let tried = 0;
  for (const hash of here) {
    // What is beyond the limit is counted and not read: anybody can add to what hangs on a record.
    if (found.size >= maxRecords) break;
    tried += 1;
    const record = source.read(hash);
    if (record !== null && record !== 'unreadable') found.set(hash, record);
  }
  const beyond = here.size - tried;
  const records = [...found.values()].sort(
    (a, b) => a.record.timestamp - b.record.timestamp || (a.hash < b.hash ? -1 : 1),
  );
  return { records, beyond, missing };
}

/** Nearest first: what the record follows from, then what was decided about each of those. */
function lineageOf(source: TraceSource, start: Hash, maxRecords: number): readonly Hash[] {
  const walk = new Walk({ start, direction: 'backward', follow: CAUSES, depth: DEPTH });
  const causes = walk.page(source, { maxNodes: maxRecords + 1 }).visits.map(({ hash }) => hash);
  return [...causes, ...causes.flatMap((hash) => source.children(hash, DECISIONS))];
}

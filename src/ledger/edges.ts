/**
 * The nine edge types of atrib (specification 3.2.4), of a set of records: what they state and nothing weighed or
 * guessed. The answer does not depend on the order of the input.
 *
 * Derived on the reader's side from records alone, and checked by atrib's vectors 3.2.4, 3.4.1 and 3.4.7. A trace walks
 * `linksOf` instead, which needs one record at a time.
 */
import { groupBy } from '../record/group-by.ts';
import { eventTypeByte, TRANSACTION } from './event-type.ts';
import { genesisChainRoot } from './genesis.ts';
import { EDGE_TYPES, type Edge, type EdgeType, type GapNode, type GraphRecord, inOrder } from './graph.ts';
import { type Link, type LinkKind, linksOf } from './links.ts';
import { sessionEdges } from './session-edges.ts';

export interface DeriveEdgesOptions {
  /** @default none */
  readonly gaps?: readonly GapNode[];
  /**
   * `compact` (specification 3.4.1.1) keeps the order of a context and draws its neighbours alone. `full` draws every
   * pair, which is quadratic by specification: for small sets only.
   * @default compact
   */
  readonly session?: 'full' | 'compact';
}

/** By type in the order of {@link EDGE_TYPES}, then by time. A record that is given twice counts once. */
export function deriveEdges(records: Iterable<GraphRecord>, options: DeriveEdgesOptions = {}): readonly Edge[] {
  const { gaps = [], session = 'compact' } = options;
  const nodes = inOrder(records);
  const signed = signedEdges(nodes);
  const chain = signed.filter(({ type }) => type === 'CHAIN_PRECEDES');
  const edges = [...signed, ...sessionEdges(nodes, { chain, session }), ...transactionEdges(nodes, gaps)];
  const byType = groupBy(edges, ({ type }) => type);
  return EDGE_TYPES.flatMap((type) => byType.get(type) ?? []);
}

const TYPE_OF: Readonly<Record<LinkKind, EdgeType>> = {
  chain: 'CHAIN_PRECEDES',
  informed_by: 'INFORMED_BY',
  provenance: 'PROVENANCE_OF',
  annotates: 'ANNOTATES',
  revises: 'REVISES',
};

/** Edges 1 and 6 to 9: what a record says of itself. */
function signedEdges(nodes: readonly GraphRecord[]): readonly Edge[] {
  const known = new Set(nodes.map(({ hash }) => hash));
  const byPrefix = groupBy(nodes, ({ hash }) => hash.slice(0, PREFIX_LENGTH));

  function edgesOf({ hash, record }: GraphRecord, { kind, target }: Link): readonly Edge[] {
    const edge = { type: TYPE_OF[kind], source: hash, directed: true };
    if (kind === 'chain') {
      // From the earlier one; where that is not in the set there is no order to show.
      return known.has(target) ? [{ ...edge, source: target, target: hash }] : [];
    }
    if (kind !== 'provenance') return [{ ...edge, ...(known.has(target) ? { target } : dangling(target)) }];
    // Ancestry is a claim of a context's first record about another context.
    if (record.chain_root !== genesisChainRoot(record.context_id)) return [];
    const upstream = byPrefix.get(target)?.find((other) => other.record.context_id !== record.context_id);
    const named = dangling(`provenance:${String(record['provenance_token'])}`);
    return [{ ...edge, ...(upstream === undefined ? named : { target: upstream.hash }) }];
  }

  return nodes.flatMap((node) => linksOf(node.record).flatMap((link) => edgesOf(node, link)));
}

/** Length of the target of a provenance link. */
const PREFIX_LENGTH = 'sha256:'.length + 32;

function dangling(named: string): Pick<Edge, 'target' | 'dangling'> {
  return { target: `dangling:${named}`, dangling: true };
}

const TOOL_CALL = 0x01;

/** Edges 4 and 5: what a transaction stands on, in its own context and in others of the same session token. */
function transactionEdges(nodes: readonly GraphRecord[], gaps: readonly GapNode[]): readonly Edge[] {
  const calls = nodes.filter(({ record }) => eventTypeByte(record.event_type) === TOOL_CALL);
  const steps = groupBy(
    [...calls.map(({ hash, record }) => ({ id: hash, context_id: record.context_id })), ...gaps],
    ({ context_id }) => context_id,
  );
  const callsByToken = groupBy(calls, ({ record }) => record['session_token']);
  const edges: Edge[] = [];
  for (const { hash: target, record } of nodes) {
    if (record.event_type !== TRANSACTION) continue;
    for (const { id } of steps.get(record.context_id) ?? []) {
      edges.push({ type: 'CONVERGES_ON', source: id, target, directed: true });
    }
    const token = record['session_token'];
    if (typeof token !== 'string') continue;
    for (const call of callsByToken.get(token) ?? []) {
      if (call.record.context_id === record.context_id) continue;
      edges.push({ type: 'CROSS_SESSION', source: call.hash, target, directed: true });
    }
  }
  return edges;
}

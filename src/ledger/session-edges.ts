/** Order within a context: edges 2 and 3 of atrib (specification 3.2.4), in full or compact (3.4.1.1). */
import { groupBy } from '../record/group-by.ts';
import { compareTime, type Edge, type GraphRecord } from './graph.ts';
import type { Hash } from './types.ts';

export interface SessionEdgesOptions {
  /** All edges of type CHAIN_PRECEDES. */
  readonly chain: readonly Edge[];
  readonly session: 'full' | 'compact';
}

/** @param nodes In order of time. */
export function sessionEdges(nodes: readonly GraphRecord[], options: SessionEdgesOptions): readonly Edge[] {
  const contexts = [...groupBy(nodes, ({ record }) => record.context_id).values()];
  return contexts.flatMap(options.session === 'full' ? everyPair(options.chain) : neighbours(options.chain));
}

function everyPair(chain: readonly Edge[]): (context: readonly GraphRecord[]) => readonly Edge[] {
  const chained = new Set(chain.map(({ source, target }) => `${source} ${target}`));
  return (context) =>
    context.flatMap((first, at) =>
      context
        .slice(at + 1)
        .filter(({ hash }) => !chained.has(`${first.hash} ${hash}`) && !chained.has(`${hash} ${first.hash}`))
        .map((second) => edgeOf(first, second)),
    );
}

/** What one chain holds together is in order already; a pair in time needs an edge only where two chains meet. */
function neighbours(chain: readonly Edge[]): (context: readonly GraphRecord[]) => readonly Edge[] {
  const componentOf = components(chain);
  return (context) =>
    context.flatMap((second, at) => {
      const first = context[at - 1];
      if (first === undefined || componentOf(first.hash) === componentOf(second.hash)) return [];
      return [edgeOf(first, second)];
    });
}

function edgeOf(first: GraphRecord, second: GraphRecord): Edge {
  const directed = compareTime(first, second) < 0;
  const type = directed ? 'SESSION_PRECEDES' : 'SESSION_PARALLEL';
  return { type, source: first.hash, target: second.hash, directed };
}

/** Which records the edges connect: equal answers for records of one component. Union-find with path halving. */
function components(edges: readonly Edge[]): (hash: Hash) => Hash {
  const parents = new Map<Hash, Hash>();
  const find = (hash: Hash): Hash => {
    let at = hash;
    for (let up = parents.get(at); up !== undefined && up !== at; up = parents.get(at)) {
      const above = parents.get(up) ?? up;
      parents.set(at, above);
      at = above;
    }
    return at;
  };
  for (const { source, target } of edges) {
    const [from, to] = [find(source), find(target)];
    if (from !== to) parents.set(from, to);
  }
  return find;
}

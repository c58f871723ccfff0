/** A trace as boxes and lines. */
import type { Context } from 'hono';
import type { VisitedRecord } from '../../../trail/trace/types.ts';
import type { TraceView } from '../../../trail/trace/view.ts';
import { absenceOf, markOf, proofLine, shortHash, whatOf, whenOf, whoOf, wordOf } from '../../../trail/trace/words.ts';
import type { HttpEnv } from '../../caller.ts';
import type { Html } from '../layout.ts';
import { MAX_NODES } from '../parts/graph-layout.ts';
import type { LayoutCache } from '../parts/layout-cache.ts';
import { linkTo, thoughtPath } from '../parts/page-links.ts';
import { type GraphEdge, type GraphNode, svgGraph } from '../parts/svg-graph.ts';
import { retiredWord, standingOf } from './standing.ts';
import { listId } from './trace-list.ts';
import { tracePathOf } from './trace-query.ts';

export interface DrawnTrace {
  readonly svg: Html;
  /** Records and links that are in the list and not in the picture. */
  readonly undrawn: number;
  readonly undrawnLinks: number;
  /** Too many links for layers, so that each box has a row of its own. */
  readonly isInRows: boolean;
}

export function drawTrace(c: Context<HttpEnv>, view: TraceView, layouts: LayoutCache): DrawnTrace {
  const records = [...view.records.values()].map((record) => recordNode(c, record, view));
  const absent = [...view.absent.values()].map(
    (detail): GraphNode => ({
      id: detail.record_hash,
      href: `#${listId(detail.record_hash)}`,
      label: absenceOf(detail),
      details: [shortHash(detail.record_hash)],
      title: `${absenceOf(detail)}: ${detail.record_hash}`,
      state: 'absent',
      isRetired: false,
      isStart: false,
    }),
  );
  const all = [...records, ...absent];
  const nodes = all.slice(0, MAX_NODES);
  const drawn = new Set(nodes.map(({ id }) => id));
  // A record names its causes, and time runs from left to right.
  const edges = view.edges
    .filter(({ from, to }) => drawn.has(from) && drawn.has(to))
    .map(({ from, to, kind }): GraphEdge => ({ from: to, to: from, title: wordOf(kind) }));
  const layout = layouts.layout({ ids: nodes.map(({ id }) => id), edges });
  const distinct = new Set(edges.map(({ from, to }) => `${from} ${to}`)).size;
  return {
    svg: svgGraph({ nodes, edges, layout, title: 'Causal graph', description: describe(view) }),
    undrawn: all.length - nodes.length,
    undrawnLinks: distinct - layout.edges.length,
    isInRows: layout.direction === 'down',
  };
}

function describe(view: TraceView): string {
  return `${proofLine(view)}. Causes stand left of what follows from them; the list below says the same.`;
}

function recordNode(c: Context<HttpEnv>, record: VisitedRecord, { result }: TraceView): GraphNode {
  const { record_hash: hash, thought } = record;
  const retired = retiredWord(record);
  const when = whenOf(record).replace('T', ' ').slice(0, 16);
  const mark = `${markOf(record)}${retired === null ? '' : ` · ${retired}`}`;
  return {
    id: hash,
    href: linkTo(c, thought === undefined ? tracePathOf({ record: hash }) : thoughtPath(thought.thought_id)),
    label: whatOf(record),
    details: [`${whoOf(record)} · ${when}`, mark],
    title: `${whatOf(record)} · ${whoOf(record)} · ${when} UTC · ${mark} · ${hash}`,
    state: standingOf(record),
    isRetired: retired !== null,
    isStart: hash === result.start_hash,
  };
}

/**
 * Where the boxes and lines of a causal graph go. Causes stand left of what follows from them; of a graph that has too
 * many lines for that, above. Any input gives a layout in bounded time, the same input always the same one.
 */
import {
  coordCenter,
  type Decross,
  decrossDfs,
  decrossTwoLayer,
  graph,
  grid,
  layeringLongestPath,
  type MutGraph,
  type MutGraphNode,
  sugiyama,
  twolayerAgg,
} from 'd3-dag';
import { groupBy } from '../../../record/group-by.ts';

export interface GraphShape {
  /** Each once; at most {@link MAX_NODES} are laid out. */
  readonly ids: readonly string[];
  /** `from` is the cause. What closes a circle, names no node, comes twice, or is beyond {@link MAX_EDGES} is left out. */
  readonly edges: readonly ShapeEdge[];
}

export interface ShapeEdge {
  readonly from: string;
  readonly to: string;
}

export type Point = readonly [x: number, y: number];

export interface GraphLayout {
  readonly direction: 'right' | 'down';
  /** Of the whole, in pixels. */
  readonly width: number;
  readonly height: number;
  /** Centres of the boxes. */
  readonly nodes: ReadonlyMap<string, Point>;
  /** In the order of the input; a line goes from the centre of its cause to the border of what follows from it. */
  readonly edges: readonly (ShapeEdge & { readonly points: readonly Point[] })[];
}

export const MAX_NODES = 150;
export const MAX_EDGES = 1_000;
/** Of one box, in pixels. */
export const BOX = { width: 236, height: 80 } as const;
const GAP = { across: 18, along: 64 } as const;
const MARGIN = 12;

/**
 * Boxes and the places where a line passes a layer: what putting a graph in layers costs. Up to the first number lines
 * are untangled layer by layer, up to the second they are only roughly put in order, and beyond each box gets a row of its own.
 */
const CAREFUL = 1_000;
const ROUGH = 5_000;

export function layoutGraph(shape: GraphShape): GraphLayout {
  const ids = [...new Set(shape.ids)].slice(0, MAX_NODES);
  const edges = soundEdges(ids, shape.edges);
  if (ids.length === 0) return { direction: 'right', width: 0, height: 0, nodes: new Map(), edges: [] };
  const dag = graph<string, number>();
  const nodes = new Map(ids.map((id) => [id, dag.node(id)]));
  for (const [at, { from, to }] of edges.entries()) {
    const [source, target] = [nodes.get(from), nodes.get(to)];
    if (source !== undefined && target !== undefined) dag.link(source, target, at);
  }
  const cost = costOf(ids, edges);
  if (cost > ROUGH) return placed(dag, { ids, edges, ...rows(dag) });
  return placed(dag, { ids, edges, ...layers(dag, cost > CAREFUL ? decrossDfs() : untangle()) });
}

interface Made {
  readonly direction: GraphLayout['direction'];
  readonly width: number;
  readonly height: number;
}

function untangle() {
  return decrossTwoLayer().order(twolayerAgg()).inits([decrossDfs()]).passes(1);
}

/** The library stacks layers downwards: width and height change places. */
function layers(dag: MutGraph<string, number>, order: Decross<string, number>): Made {
  const lay = sugiyama()
    .nodeSize([BOX.height, BOX.width] as const)
    .gap([GAP.across, GAP.along])
    .layering(layeringLongestPath())
    .decross(order)
    .coord(coordCenter());
  const { width, height } = lay(dag);
  return { direction: 'right', width: height, height: width };
}

function rows(dag: MutGraph<string, number>): Made {
  const lay = grid()
    .nodeSize([BOX.width, BOX.height] as const)
    .gap([GAP.across, GAP.across]);
  return { direction: 'down', ...lay(dag) };
}

function placed(
  dag: MutGraph<string, number>,
  { ids, edges, direction, width, height }: Made & GraphShape,
): GraphLayout {
  const place = (x: number, y: number): Point => {
    const [across, down] = direction === 'right' ? [y, x] : [x, y];
    return [Math.round(across) + MARGIN, Math.round(down) + MARGIN];
  };
  // The library keeps no order of its own.
  const at = new Map([...dag.nodes()].map((node: MutGraphNode<string, number>) => [node.data, place(node.x, node.y)]));
  const points = new Map([...dag.links()].map((link) => [link.data, link.points.map(([x, y]) => place(x, y))]));
  return {
    direction,
    width: Math.ceil(width) + 2 * MARGIN,
    height: Math.ceil(height) + 2 * MARGIN,
    nodes: new Map(ids.map((id) => [id, at.get(id) ?? [0, 0]])),
    edges: edges.map((edge, link) => ({ ...edge, points: toBorder(points.get(link) ?? [], direction) })),
  };
}

function toBorder(points: readonly Point[], direction: GraphLayout['direction']): readonly Point[] {
  const [x, y] = points.at(-1) ?? [0, 0];
  const end: Point = direction === 'right' ? [x - BOX.width / 2, y] : [x, y - BOX.height / 2];
  return [...points.slice(0, -1), end];
}

/** A record cannot name one that names it; whatever says so is not drawn rather than drawn wrong. */
function soundEdges(ids: readonly string[], edges: readonly ShapeEdge[]): readonly ShapeEdge[] {
  const known = new Set(ids);
  const once = new Map<string, ShapeEdge>();
  for (const edge of edges) {
    if (once.size === MAX_EDGES) break;
    if (edge.from !== edge.to && known.has(edge.from) && known.has(edge.to)) once.set(`${edge.from}\n${edge.to}`, edge);
  }
  const followers = followersOf([...once.values()]);
  const closing = new Set<string>();
  const state = new Map<string, 'open' | 'done'>();
  const visit = (id: string): void => {
    state.set(id, 'open');
    for (const next of followers.get(id) ?? []) {
      if (state.get(next) === 'open') closing.add(`${id}\n${next}`);
      else if (!state.has(next)) visit(next);
    }
    state.set(id, 'done');
  };
  for (const id of ids) if (!state.has(id)) visit(id);
  return [...once].flatMap(([key, edge]) => (closing.has(key) ? [] : [edge]));
}

function followersOf(edges: readonly ShapeEdge[]): ReadonlyMap<string, readonly string[]> {
  const groups = groupBy(edges, ({ from }) => from);
  return new Map([...groups].map(([id, group]) => [id, group.map(({ to }) => to)]));
}

/** Boxes, and for each line the layers that it passes. */
function costOf(ids: readonly string[], edges: readonly ShapeEdge[]): number {
  const followers = followersOf(edges);
  const height = new Map<string, number>();
  const measure = (id: string): number => {
    const known = height.get(id);
    if (known !== undefined) return known;
    const measured = Math.max(0, ...(followers.get(id) ?? []).map((next) => measure(next) + 1));
    height.set(id, measured);
    return measured;
  };
  const passed = edges.map(({ from, to }) => measure(from) - measure(to) - 1);
  return ids.length + passed.reduce((sum, layers) => sum + layers, 0);
}

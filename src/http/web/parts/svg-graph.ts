/**
 * A causal graph as SVG: links in boxes, and lines from causes to what follows from them. Legible by its shapes and words
 * alone, without colours or a style sheet, and in both schemes; a list with the same facts belongs beside it.
 */
import { html } from 'hono/html';
import type { Html } from '../layout.ts';
import { BOX, type GraphLayout, type Point } from './graph-layout.ts';

export interface GraphNode {
  readonly id: string;
  readonly href: string;
  /** Cut at the border of the box. */
  readonly label: string;
  /** One or two lines below it. */
  readonly details: readonly string[];
  /** All of it, for who does not see the box. */
  readonly title: string;
  readonly state: 'verified' | 'doubtful' | 'absent';
  /** It does not hold any more: its label is struck out; `details` say why. */
  readonly isRetired: boolean;
  /** What the page is about. */
  readonly isStart: boolean;
}

export interface GraphEdge {
  /** Ids: the cause, and what follows from it. */
  readonly from: string;
  readonly to: string;
  readonly title: string;
}

export interface SvgGraph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  /** Nodes and edges that it does not know are not drawn. */
  readonly layout: GraphLayout;
  readonly title: string;
  readonly description: string;
}

export function svgGraph({ nodes, edges, layout, title, description }: SvgGraph): Html {
  const { width, height } = layout;
  const titles = new Map(edges.map((edge) => [`${edge.from}\n${edge.to}`, edge.title]));
  return html`<svg class="graph" role="group" aria-labelledby="graph-title graph-text" width="${width}" height="${height}"
viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="13">
<title id="graph-title">${title}</title>
<desc id="graph-text">${description}</desc>
<defs><marker id="arrow" viewBox="0 0 8 8" refX="7.5" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0.5 8 4 0 7.5z" fill="currentColor" class="head"/></marker></defs>
<g class="lines" fill="none" stroke="currentColor">
${layout.edges.map(({ from, to, points }) => line(pathOf(points, layout), titles.get(`${from}\n${to}`) ?? ''))}</g>
<g class="boxes">
${nodes.flatMap((node) => {
  const at = layout.nodes.get(node.id);
  return at === undefined ? [] : [box(node, at)];
})}</g>
</svg>`;
}

function line(d: string, title: string): Html {
  return html`<path d="${d}" marker-end="url(#arrow)"><title>${title}</title></path>\n`;
}

const LABEL_Y = 21;
const LINE = 17;
const PADDING = 11;

function box({ href, label, details, title, state, isRetired, isStart }: GraphNode, [x, y]: Point): Html {
  const { width, height } = BOX;
  const [left, top] = [x - width / 2, y - height / 2];
  const dashes = state === 'absent' ? html` stroke-dasharray="6 4"` : '';
  const struck = isRetired ? html` text-decoration="line-through"` : '';
  return html`<a href="${href}" class="box" data-state="${state}"${isStart ? html` id="start" aria-current="true"` : ''}><title>${title}</title>
<rect x="${left}" y="${top}" width="${width}" height="${height}" rx="7" fill="Canvas" stroke="currentColor" stroke-width="${isStart ? 3 : 1.2}"${dashes}/>
<svg x="${left}" y="${top}" width="${width - PADDING / 2}" height="${height}"><text x="${PADDING}" y="${LABEL_Y}" font-weight="600" fill="currentColor"${struck}>${label}</text>
${details.map((text, at) => html`<text class="detail" x="${PADDING}" y="${LABEL_Y + LINE * (at + 1)}" font-size="12" fill="currentColor">${text}</text>`)}</svg></a>\n`;
}

/** Soft between layers, straight between rows. */
function pathOf(points: readonly Point[], { direction }: GraphLayout): string {
  const [first = [0, 0], ...rest] = points;
  let [x, y] = first;
  const steps = rest.map(([toX, toY]) => {
    const middle = Math.round((x + toX) / 2);
    const step = direction === 'right' ? `C${middle} ${y} ${middle} ${toY} ${toX} ${toY}` : `L${toX} ${toY}`;
    [x, y] = [toX, toY];
    return step;
  });
  return `M${first[0]} ${first[1]}${steps.join('')}`;
}

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
  /** Two lines of it are shown. */
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

const LABEL_Y = 20;
const LINE = 17;
const PADDING = 11;
/** Of a label, in letters of the usual width. */
const LETTERS = 27;

function box({ href, label, details, title, state, isRetired, isStart }: GraphNode, [x, y]: Point): Html {
  const { width, height } = BOX;
  const [left, top] = [x - width / 2, y - height / 2];
  const lines = linesOf(label);
  const dashes = state === 'absent' ? html` stroke-dasharray="6 4"` : '';
  const struck = isRetired ? html` text-decoration="line-through"` : '';
  const start = isStart ? html` id="start" aria-current="true"` : '';
  const bold = html`font-weight="600"${struck}`;
  const text = (line: string, at: number) => {
    const look = at < lines.length ? bold : html`font-size="12" class="detail"`;
    return html`<text x="${PADDING}" y="${LABEL_Y + LINE * at}" fill="currentColor" ${look}>${line}</text>\n`;
  };
  return html`<a href="${href}" class="box" data-state="${state}"${start}><title>${title}</title>
<rect x="${left}" y="${top}" width="${width}" height="${height}" rx="7" fill="Canvas" stroke="currentColor" stroke-width="${isStart ? 3 : 1.2}"${dashes}/>
<svg x="${left}" y="${top}" width="${width - PADDING / 2}" height="${height}">${[...lines, ...details].map(text)}</svg></a>\n`;
}

/** At most two, broken between words where that can be; what is longer than both ends in an ellipsis. */
function linesOf(label: string): readonly string[] {
  const first = fitting(label);
  if (first === label) return [label];
  const space = first.lastIndexOf(' ');
  const line = space > LETTERS / 2 ? first.slice(0, space) : first;
  const rest = label.slice(line.length).trimStart();
  const second = fitting(rest);
  return [line, second === rest ? rest : `${second.slice(0, -1)}…`];
}

/** As much of it as a line holds; letters of other scripts than Latin, Greek and Cyrillic count twice. */
function fitting(text: string): string {
  let room: number = LETTERS;
  let end = 0;
  for (const character of text) {
    room -= (character.codePointAt(0) ?? 0) > 0x52f ? 2 : 1;
    if (room < 0) break;
    end += character.length;
  }
  return text.slice(0, end);
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

/** `/t/<id>/trace` and `/trace/<hash>`: why it is so, each step verified, as a picture and as a list. */
import type { Context } from 'hono';
import { html } from 'hono/html';
import { LINK_KINDS } from '../../../ledger/links.ts';
import { lineOf } from '../../../record/preview.ts';
import { revealLine } from '../../../record/reveal.ts';
import {
  DIRECTIONS,
  type Direction,
  TRACE_LIMITS,
  type TraceResult,
  type VisitedRecord,
} from '../../../trail/trace/types.ts';
import { type TraceView, traceView } from '../../../trail/trace/view.ts';
import { proofLine, whatOf, wordOf } from '../../../trail/trace/words.ts';
import type { HttpEnv } from '../../caller.ts';
import { asOfNotice, asOfOf } from '../as-of.ts';
import { errorPage, refusalPage } from '../error-page.ts';
import { type Html, renderPage } from '../layout.ts';
import type { LayoutCache } from '../parts/layout-cache.ts';
import { liveOnly } from '../parts/live-only.ts';
import { linkTo, scopeLink, thoughtPath } from '../parts/page-links.ts';
import { type DrawnTrace, drawTrace } from './trace-graph.ts';
import { traceList } from './trace-list.ts';
import { DEPTHS, type TraceQuery, traceHref, tracePathOf, traceQueryOf } from './trace-query.ts';

export interface TracePageOptions {
  /** A thought id or `sha256:` and hex digits; the beginning of either is enough. */
  readonly start: string;
  readonly layouts: LayoutCache;
}

/** Room is left in the picture for what is not here. */
const RECORDS = 130;

export async function tracePage(c: Context<HttpEnv>, { start, layouts }: TracePageOptions): Promise<Response> {
  const query = traceQueryOf(c);
  if (query === null) return errorPage(c, 400);
  const traced = await c.var.caller.session.operations().trace({ record_hash: start, max_nodes: RECORDS, ...query });
  if (!traced.ok) return refusalPage(c, traced);
  const result = traced.value;
  // What is withheld reads like what never was: as a page that is not there.
  if (result.visited.length === 0 && query.cursor === undefined) return errorPage(c, 404);
  const view = traceView(result, { follow: query.follow });
  const drawn = drawTrace(c, view, layouts);
  const main = html`<p class="lede">${LEDES[query.direction]}, up to ${query.depth} ${query.depth === 1 ? 'step' : 'steps'} away. ${proofLine(view)}.</p>
${liveOnly(controls(c, query))}
${notes(c, { view, query, drawn })}
<h2 id="picture">Picture</h2>
<div class="graph-frame" id="graph" tabindex="0" role="region" aria-labelledby="picture">${drawn.svg}</div>
<p class="hint">Time runs from ${drawn.isInRows ? 'top to bottom' : 'left to right'}: arrows lead from causes to what follows from them. ✓ the signature holds, ✗ and ? it does not or cannot be told; a dashed box is not here; struck out no longer stands.</p>
<h2 id="list">List</h2>
${traceList(c, view)}`;
  const first = view.records.get(result.start_hash);
  return renderPage(c, {
    title: first === undefined ? 'Trace, continued' : `Trace: ${nameOf(first)}`,
    above: place(c, view),
    asOf: asOfNotice(c, 'A trace shows every record that leads here, whenever it was made'),
    main,
    scripts: ['graph.js'],
  });
}

const LEDES: Readonly<Record<Direction, string>> = {
  backward: 'What it was informed by',
  forward: 'What it informed',
  both: 'What it was informed by, and what it informed',
};

/** The thought it is about, else the record itself. */
function nameOf(record: VisitedRecord): string {
  return record.thought === undefined ? whatOf(record) : revealLine(lineOf(record.thought.content_preview));
}

function place(c: Context<HttpEnv>, { records, result }: TraceView): Html {
  const thought = records.get(result.start_hash)?.thought;
  if (thought === undefined) return html`<p class="soft">Record <code>${result.start_hash}</code></p>`;
  return html`<p>${scopeLink(c, thought.scope)} / <a href="${linkTo(c, thoughtPath(thought.thought_id))}">${thought.thought_id}</a></p>`;
}

const DIRECTION_LABELS: Readonly<Record<Direction, string>> = {
  backward: 'Back to causes',
  forward: 'Forward to effects',
  both: 'Both',
};

function controls(c: Context<HttpEnv>, query: TraceQuery): Html {
  const { cursor: _, ...kept } = query;
  const choice = (label: string, change: Partial<TraceQuery>, isCurrent: boolean) =>
    html`<li><a href="${traceHref(c, c.req.path, { ...kept, ...change })}"${isCurrent ? html` aria-current="true"` : ''}>${label}</a></li>`;
  const asOf = Object.entries(asOfOf(c));
  return html`<div class="trace-controls no-print">
<nav aria-label="Direction"><ul class="choices">${DIRECTIONS.map((each) => choice(DIRECTION_LABELS[each], { direction: each }, each === query.direction))}</ul></nav>
<nav aria-label="Steps"><span class="soft">Steps</span> <ul class="choices">${DEPTHS.map((each) => choice(String(each), { depth: each }, each === query.depth))}</ul></nav>
<form method="get" action="${c.req.path}"><fieldset><legend>Follow</legend>
${[...Object.entries({ depth: String(query.depth), direction: query.direction }), ...asOf].map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
${LINK_KINDS.map((kind) => html`<label class="choice"><input type="checkbox" name="follow" value="${kind}"${query.follow.includes(kind) ? html` checked` : ''}> ${wordOf(kind)}</label>\n`)}
<button type="submit" class="quiet small">Follow these</button></fieldset></form>
</div>`;
}

interface Noted {
  readonly view: TraceView;
  readonly query: TraceQuery;
  readonly drawn: DrawnTrace;
}

/** What is not on the page, and how to go on. */
function notes(c: Context<HttpEnv>, { view, query, drawn }: Noted): Html {
  const { result } = view;
  const said = [
    ...(query.cursor === undefined
      ? []
      : [
          html`This goes on where an earlier page ended. <a href="${traceHref(c, c.req.path, withoutCursor(query))}">From the start</a>`,
        ]),
    ...(result.cursor === undefined
      ? []
      : [
          html`Cut: ${result.visited.length} records are shown and there are more. <a href="${traceHref(c, c.req.path, { ...query, cursor: result.cursor })}">Go on with the next</a>, or ask for fewer steps`,
        ]),
    ...(result.truncated_by_depth ? [deeper(c, result, query)] : []),
    ...(drawn.undrawn === 0
      ? []
      : [html`Cut: ${drawn.undrawn} that are not here are in the <a href="#list">list</a> alone`]),
    ...(drawn.undrawnLinks === 0
      ? []
      : [html`Cut: ${drawn.undrawnLinks} links are in the <a href="#list">list</a> and not in the picture`]),
    ...(drawn.isInRows ? [html`There are too many links for columns, so each record has a row of its own`] : []),
    ...(result.index === undefined
      ? []
      : [html`This is from an earlier state of the record: the index is catching up`]),
    ...result.warnings.map((warning) => html`${warning}`),
  ];
  if (said.length === 0) return html``;
  return html`<ul class="note">${said.map((each) => html`<li>${each}.</li>\n`)}</ul>`;
}

function withoutCursor({ depth, direction, follow }: TraceQuery): TraceQuery {
  return { depth, direction, follow };
}

/** Deeper from here, or from the deepest record that has something below it. */
function deeper(c: Context<HttpEnv>, result: TraceResult, query: TraceQuery): Html {
  const next = DEPTHS.find((depth) => depth > query.depth);
  if (next !== undefined && query.depth < TRACE_LIMITS.depth) {
    const href = traceHref(c, c.req.path, { ...withoutCursor(query), depth: next });
    return html`Cut: more lies further away. <a href="${href}">Go ${next} steps</a>`;
  }
  const last = result.visited.findLast(({ next_informed_by: leads }) => leads.length > 0);
  const from = tracePathOf({ record: last?.record_hash ?? result.start_hash });
  return html`Cut: more lies further away. <a href="${traceHref(c, from, withoutCursor(query))}">Go on from the last of them</a>`;
}

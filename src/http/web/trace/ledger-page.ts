/** `/ledger`: who writes, and whether it can be proved; `/ledger/<log>`: what one writer did. */
import type { Context } from 'hono';
import { html } from 'hono/html';
import { isHash } from '../../../ledger/hash.ts';
import { isLogName } from '../../../ledger/writer.ts';
import { revealLine } from '../../../record/reveal.ts';
import { exportCheckpoints } from '../../../trail/export-checkpoints.ts';
import {
  type ListedWriter,
  listWriterEvents,
  listWriters,
  type WriterEvents,
  type WriterList,
} from '../../../trail/list-writers.ts';
import type { WriterStatus } from '../../../trail/status.ts';
import type { RunState } from '../../../trail/verify/verify-run.ts';
import type { HttpEnv } from '../../caller.ts';
import { asOfNotice } from '../as-of.ts';
import { errorPage, refusalPage } from '../error-page.ts';
import { type Html, renderPage } from '../layout.ts';
import { liveOnly } from '../parts/live-only.ts';
import { linkTo, thoughtPath } from '../parts/page-links.ts';
import { renderTime } from '../parts/time.ts';
import type { WebOptions } from '../web.ts';
import { tracePathOf } from './trace-query.ts';
import { seesFindings, verifySection } from './verify-page.ts';

const PAGE = 50;
const WHY_NOW = 'The ledger is shown as it is now';

export async function ledgerPage(c: Context<HttpEnv>, { record }: WebOptions, run: RunState): Promise<Response> {
  const listed = await listWriters(await c.var.caller.session.context(), record.seenFolder);
  const main = html`<p class="lede">Every change is a signed event in the log of who made it. ${
    listed.isSound
      ? 'No fault is seen.'
      : html`<strong>Faults are seen</strong>: an operator can run <code>waymark status</code>.`
  }</p>
${liveOnly(verifySection(c, run, record.now()))}
<h2>Writers</h2>
${writersTable(c, listed)}
${
  seesFindings(c)
    ? html`<p><a class="button quiet" href="/ledger/checkpoints">Download the checkpoints</a> <span class="hint">Keep them where nobody who writes here reaches, and hold the record against them later: <code>waymark verify --against FILE</code></span></p>`
    : ''
}`;
  return renderPage(c, { title: 'Ledger', section: 'ledger', asOf: asOfNotice(c, WHY_NOW), main });
}

const MEMORY: Readonly<Record<WriterStatus['remembered'], string>> = {
  ok: '✓ as remembered',
  cut: '✗ cut: it was longer here before',
  forked: '✗ forked: it was another here before',
  restored: 'cut, and its holder declared the loss',
  unknown: 'nothing is remembered of it',
};

function writersTable(c: Context<HttpEnv>, { writers }: WriterList): Html {
  if (writers.length === 0) return html`<p class="soft">No writer has an event that you may see.</p>`;
  const withState = writers.some(({ state }) => state !== undefined);
  return html`<div class="wide"><table><caption>A writer is one key in one clone.${withState ? '' : ' Sizes and checkpoints are for operators.'}</caption>
<thead><tr><th scope="col">Agent</th><th scope="col">Log</th>${withState ? html`<th scope="col" class="number">Events</th><th scope="col">Memory of this machine</th>` : ''}<th scope="col">Newest event</th></tr></thead>
<tbody>${writers.map((writer) => writerRow(c, writer, withState))}</tbody></table></div>`;
}

function writerRow(c: Context<HttpEnv>, { log, agent_id, newest, state }: ListedWriter, withState: boolean): Html {
  const known =
    state === undefined
      ? html`<td></td><td></td>`
      : html`<td class="number">${state.size}</td><td>${MEMORY[state.remembered]}</td>`;
  return html`<tr><th scope="row">${agent_id}</th><td><a href="${linkTo(c, `/ledger/${log}`)}"><code>${log}</code></a></td>${withState ? known : ''}<td>${newest === null ? '' : renderTime(newest)}</td></tr>\n`;
}

export async function writerPage(c: Context<HttpEnv>, { record }: WebOptions): Promise<Response> {
  const log = c.req.param('log') ?? '';
  const from = c.req.query('from');
  if (!isLogName(log) || (from !== undefined && !isHash(from))) return errorPage(c, 404);
  const context = await c.var.caller.session.context();
  const page = await listWriterEvents(context, record.seenFolder, { log, from, limit: PAGE });
  if (!page.ok) return refusalPage(c, page);
  const { writer, checkpoint, next } = page.value;
  const main = html`<p class="lede">${from === undefined ? 'The newest events' : 'Earlier events'} that you may see, newest first.</p>
${writer.state === undefined ? '' : html`<dl class="facts"><dt>Events</dt><dd>${writer.state.size}</dd><dt>Memory of this machine</dt><dd>${MEMORY[writer.state.remembered]}</dd></dl>`}
${
  checkpoint === undefined
    ? ''
    : html`<h2>Checkpoint</h2>
<p class="hint">The size and root of the log, signed by its key${writer.newest === null ? '' : html` with its newest event, ${renderTime(writer.newest)}`}.</p>
<pre>${checkpoint}</pre>`
}
<h2>Events</h2>
${eventsTable(c, page.value)}
${next === undefined && from === undefined ? '' : html`<nav class="pager" aria-label="Pages">${from === undefined ? html`<span></span>` : html`<a href="${linkTo(c, `/ledger/${log}`)}">Newest</a>`}${next === undefined ? '' : html`<a rel="next" href="${linkTo(c, `/ledger/${log}`, { from: next })}">Earlier</a>`}</nav>`}`;
  return renderPage(c, {
    title: `Events of ${writer.agent_id}`,
    section: 'ledger',
    above: html`<p><a href="${linkTo(c, '/ledger')}">Ledger</a> / <code>${log}</code></p>`,
    asOf: asOfNotice(c, WHY_NOW),
    main,
  });
}

function eventsTable(c: Context<HttpEnv>, { events }: WriterEvents): Html {
  if (events.length === 0) return html`<p class="soft">None that you may see.</p>`;
  return html`<div class="wide"><table><caption class="visually-hidden">Events</caption>
<thead><tr><th scope="col">When</th><th scope="col">What</th><th scope="col">Thought</th><th scope="col">Counts</th><th scope="col">Record</th></tr></thead>
<tbody>${events.map((event) => eventRow(c, event))}</tbody></table></div>`;
}

function eventRow(c: Context<HttpEnv>, { hash, valid, invalidReason, envelope }: WriterEvents['events'][number]): Html {
  const { record, _local: local } = envelope;
  const about =
    local?.thought_id === undefined
      ? html`${local?.scope === undefined ? '' : revealLine(local.scope)}`
      : html`<a href="${linkTo(c, thoughtPath(local.thought_id))}"><code>${revealLine(local.thought_id)}</code></a>`;
  const verdict = valid ? '✓ yes' : `✗ no: ${invalidReason ?? 'event_invalid'}`;
  return html`<tr><td>${renderTime(record.timestamp)}</td><td>${local === undefined ? 'erased' : revealLine(local.verb).replaceAll('_', ' ')}</td><td>${about}</td><td>${verdict}</td><td><a href="${linkTo(c, tracePathOf({ record: hash }))}"><code>${hash.slice(7, 15)}</code></a></td></tr>\n`;
}

/** The signed checkpoints of all logs, as `waymark checkpoint --export` writes them. */
export async function checkpointsDownload(c: Context<HttpEnv>, { record }: WebOptions): Promise<Response> {
  if (!seesFindings(c)) return errorPage(c, 403);
  const exported = await exportCheckpoints(record);
  if (!exported.ok) return refusalPage(c, exported, { section: 'ledger' });
  c.header('Content-Type', 'application/json; charset=utf-8');
  c.header('Content-Disposition', 'attachment; filename="waymark-checkpoints.json"');
  return c.body(`${JSON.stringify(exported.value.file)}\n`);
}

/** `/t/<id>`: one thought, what is known of it, and how that can be proved. */
import type { Context } from 'hono';
import { html } from 'hono/html';
import type { Refusal } from '../../../record/outcome.ts';
import { reveal } from '../../../record/reveal.ts';
import { thoughtPage as readThoughtPage, type ThoughtPage, thoughtFile } from '../../../trail/thought-page.ts';
import type { HttpEnv } from '../../caller.ts';
import { asOfControl, asOfOf } from '../as-of.ts';
import { errorPage, refusalPage } from '../error-page.ts';
import { type Html, renderPage } from '../layout.ts';
import { renderMarkdown } from '../parts/markdown.ts';
import { linkTo, scopeLink, thoughtPath } from '../parts/page-links.ts';
import { shownStatus, statusBadge, statusMeaning } from '../parts/status-badge.ts';
import { sourceLabel, titleOf } from '../parts/thought-list.ts';
import type { WebOptions } from '../web.ts';
import { eventsSection } from './events-section.ts';
import { lineageSection, relationshipsSection } from './lineage-section.ts';
import { crumbs } from './scope-page.ts';
import { type Moment, timeLine } from './time-line.ts';

export async function thoughtPage(c: Context<HttpEnv>, options: WebOptions): Promise<Response> {
  const id = c.req.param('id') ?? '';
  const context = await c.var.caller.session.context();
  const found = await readThoughtPage(context, { thought_id: id, ...asOfOf(c) });
  if (!found.ok) return refused(c, found);
  const { thought_id } = found.value.thought;
  if (thought_id !== id) return c.redirect(linkTo(c, thoughtPath(thought_id)), 302);
  return renderPage(c, {
    title: reveal(titleOf(found.value.thought)),
    above: crumbs(c, found.value.scope, true),
    asOf: asOfControl(c),
    main: body(c, found.value, options),
  });
}

/** The file as it is committed, never as something a browser would run. */
export async function thoughtDownload(c: Context<HttpEnv>): Promise<Response> {
  const context = await c.var.caller.session.context();
  const found = await thoughtFile(context, { thought_id: c.req.param('id') ?? '', ...asOfOf(c) });
  if (!found.ok) return refused(c, found);
  const { thought_id, bytes } = found.value;
  c.header('Content-Type', 'text/plain; charset=utf-8');
  c.header('Content-Disposition', `attachment; filename="${thought_id}.md"`);
  c.header('X-Content-Type-Options', 'nosniff');
  return c.body(Uint8Array.from(bytes));
}

function refused(c: Context<HttpEnv>, refusal: Refusal): Promise<Response> {
  if (refusal.code === 'ambiguous') return severalPage(c, refusal);
  // What is no id names no thought either.
  return refusal.field === 'thought_id' ? errorPage(c, 404) : refusalPage(c, refusal, { asOf: asOfControl(c) });
}

function severalPage(c: Context<HttpEnv>, { details }: Refusal): Promise<Response> {
  const listed: unknown = details?.['candidates'];
  const ids = (Array.isArray(listed) ? listed : []).map((one: { readonly thought_id: string }) => one.thought_id);
  const main = html`<p>The first of those that begin like this:</p>
<ul>${ids.map((id) => html`<li><a href="${linkTo(c, thoughtPath(id))}"><code>${id}</code></a></li>\n`)}</ul>`;
  return renderPage(c, { title: 'Several thoughts', status: 300, main });
}

function body(c: Context<HttpEnv>, page: ThoughtPage, { now }: WebOptions): Html {
  const { thought, lineage, names, namedBy, events, waitsForCaller, wasValid, index } = page;
  const text = thought.content ?? '';
  const status = shownStatus(thought);
  return html`<p class="byline lead-in">${statusBadge(status)} <span>${statusMeaning(status)}</span></p>
${wasValid === false ? html`<p class="warning">It was not true in the world at the time you read.</p>` : ''}
${thought.lapsed ? html`<p class="warning">It is not true in the world any more; it stays in the record until it is replaced.</p>` : ''}
${thought.due ? html`<p class="note">A person should look at it again.</p>` : ''}
${index === undefined ? '' : html`<p class="note">The newest ${index.behind} commits are not taken in yet.</p>`}
${waitsForCaller ? html`<p class="no-print"><a class="button" href="/desk/${thought.thought_id}">Decide about it</a></p>` : ''}
<div class="columns">
<div>
<article>${renderMarkdown(withoutTitle(text, titleOf(thought)), { under: 1 })}</article>
${lineageSection(c, { thought, body: text }, lineage)}
${relationshipsSection(c, { names, namedBy })}
</div>
<aside aria-label="About it">
<h2>About it</h2>
${facts(c, page)}
<h2>When</h2>
${timeLine({ record: recordTimes(page), ...validity(thought), now: now() })}
</aside>
</div>
${eventsSection(c, events)}
${cite(c, page)}`;
}

/** The heading that the page has as its own already. */
function withoutTitle(text: string, title: string): string {
  const [line = ''] = text.split('\n', 1);
  return /^#{1,6} /.test(line) && line.replace(/^#{1,6} /, '').trim() === title ? text.slice(line.length) : text;
}

function validity({ valid_from, valid_to, review_by }: ThoughtPage['thought']) {
  return { valid_from, valid_to, review_by };
}

const TOLD: Readonly<Record<string, string>> = {
  propose: 'Proposed',
  approve: 'Approved',
  adopt: 'Brought in',
  reject: 'Rejected',
  forget: 'Withdrawn',
  erase: 'Erased',
};

function recordTimes({ thought, events }: ThoughtPage): readonly Moment[] {
  const told = events.flatMap(({ verb = '', about, at }): readonly Moment[] => {
    if (about !== undefined) return verb === 'approve' || verb === 'merge' ? [{ label: 'Superseded', at }] : [];
    const label = TOLD[verb];
    return label === undefined ? [] : [{ label, at }];
  });
  return [{ label: 'Written', at: thought.created_at }, ...told];
}

function facts(c: Context<HttpEnv>, { thought, scope, namespace }: ThoughtPage): Html {
  const { agent_id, source_type, confidence, metadata, present_status, unverified } = thought;
  const tags = metadata?.tags ?? [];
  return html`<dl class="facts">
<dt>Scope</dt><dd>${scopeLink(c, scope)}</dd>
<dt>Author</dt><dd><a href="${linkTo(c, '/search', { author: agent_id })}">${agent_id}</a></dd>
<dt>Kind</dt><dd>${sourceLabel(source_type)}</dd>
<dt>Folder</dt><dd>${namespace}</dd>
<dt>Confidence</dt><dd>${confidence}</dd>
${metadata?.project === undefined ? '' : html`<dt>Project</dt><dd>${reveal(metadata.project)}</dd>`}
${metadata?.branch === undefined ? '' : html`<dt>Branch</dt><dd>${reveal(metadata.branch)}</dd>`}
${
  tags.length === 0
    ? ''
    : html`<dt>Tags</dt><dd><ul class="tags">${tags.map((tag) => html`<li><a href="${linkTo(c, '/search', { tag })}">${reveal(tag)}</a></li>`)}</ul></dd>`
}
${present_status === undefined ? '' : html`<dt>Today</dt><dd>${statusBadge(present_status)}</dd>`}
${unverified === undefined ? '' : html`<dt>Unverified</dt><dd>${unverified.replaceAll('_', ' ')}</dd>`}
</dl>`;
}

/** What names this text for good: whoever has the record can hold the thought to it. */
function cite(c: Context<HttpEnv>, { thought, events, repositoryId }: ThoughtPage): Html {
  const { thought_id, claim } = thought;
  const event = events.at(-1)?.hash;
  const reference = [
    `waymark ${repositoryId}`,
    `thought ${thought_id}`,
    ...(event === undefined ? [] : [`event   ${event}`]),
    ...(claim === undefined ? [] : [`claim   ${claim}`]),
  ].join('\n');
  return html`<section class="cite" aria-labelledby="cite"><h2 id="cite">Cite</h2>
<p>A permanent reference: the record, the thought, the last event about it, and the digest of what was decided on.</p>
<pre>${reference}</pre>
<p>Why it is so: <code>waymark trace ${thought_id}</code><br>
Proof to take away: <code>waymark evidence ${thought_id} --out ${thought_id}.zip</code></p>
<p><a href="${linkTo(c, `${thoughtPath(thought_id)}/trace`)}">Trace</a> ·
<a href="${linkTo(c, `${thoughtPath(thought_id)}/raw`)}">Its file</a> ·
<a href="${thoughtPath(thought_id)}">Permanent address</a></p></section>`;
}

/** What waits for the viewer, the longest waiting first. */
import { html } from 'hono/html';
import { type QueuePage, queue } from '../../../trail/queue.ts';
import { type Html, renderPage } from '../layout.ts';
import type { WebOptions } from '../web.ts';
import { entryItem } from './entry.ts';
import { type Filters, filterForm, filtersOf, isFiltered, queueInputOf, withFilters } from './filters.ts';
import { flashNote } from './flash.ts';
import { agentsPage, type DeskContext, deciderOf, refusalNote, statusOf } from './viewer.ts';

const PER_PAGE = 25;

export async function queuePage(c: DeskContext, options: WebOptions): Promise<Response> {
  const context = await deciderOf(c);
  if (context === null) return agentsPage(c);
  const filters = filtersOf(c);
  const after = c.req.query('after');
  const now = options.now();
  const found = await queue(context, { ...queueInputOf(filters, now), limit: PER_PAGE, after });
  const title = 'Review desk';
  if (!found.ok) {
    const main = html`${refusalNote(found)}${filterForm(filters, '/desk')}`;
    return renderPage(c, { title, section: 'desk', main, status: statusOf(found) });
  }
  const { entries, total } = found.value;
  const main = html`${flashNote(c, options)}
<p class="lede">${countLine(total, filters)}</p>
${filterForm(filters, '/desk')}
${total === 0 ? emptyState(filters) : html`<ol class="thoughts">${entries.map((entry) => entryItem(c, entry, now))}</ol>`}
${pager(found.value, { filters, after })}
<p class="byline no-print"><a href="${withFilters('/desk/batch', filters)}">Decide several by rule</a>
<a href="/desk/feed.atom" type="application/atom+xml">Atom feed</a></p>`;
  return renderPage(c, { title, section: 'desk', main });
}

function countLine(total: number, filters: Filters): string {
  const things = `${total} ${total === 1 ? 'proposal waits' : 'proposals wait'}`;
  return isFiltered(filters) ? `${things} that match` : `${things} for your decision, the longest waiting first`;
}

function emptyState(filters: Filters): Html {
  if (isFiltered(filters))
    return html`<p>Nothing that waits matches. <a href="/desk">Show everything that waits</a></p>`;
  return html`<p>Nothing waits for your decision. What agents propose in the scopes you decide in appears here.</p>`;
}

function pager({ next }: QueuePage, at: { readonly filters: Filters; readonly after: string | undefined }): Html {
  const { filters, after } = at;
  if (next === undefined && after === undefined) return html``;
  return html`<nav class="pager" aria-label="Pages of the queue">
<span>${after === undefined ? '' : html`<a href="${withFilters('/desk', filters)}">First page</a>`}</span>
<span>${next === undefined ? '' : html`<a href="${withFilters('/desk', filters, { after: next })}">Next page</a>`}</span></nav>`;
}

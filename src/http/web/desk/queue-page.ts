/** What waits for the viewer, the longest waiting first. */
import { html } from 'hono/html';
import { type QueuePage, queue } from '../../../trail/queue.ts';
import { refusalNotice, statusOf } from '../error-page.ts';
import { type Html, renderPage } from '../layout.ts';
import type { WebOptions } from '../web.ts';
import { entryItem } from './entry.ts';
import { type Filters, filterForm, filtersOf, isFiltered, LOOKED, queueInputOf, withFilters } from './filters.ts';
import { flashNote } from './flash.ts';
import { agentsPage, contextOfDecider, type DeskContext } from './viewer.ts';

const PER_PAGE = 25;

export async function queuePage(c: DeskContext, options: WebOptions): Promise<Response> {
  const context = await contextOfDecider(c);
  if (context === null) return agentsPage(c);
  const filters = filtersOf(c);
  const after = c.req.query('after');
  const now = options.now();
  const found = await queue(context, { ...queueInputOf(filters, now), limit: PER_PAGE, after });
  const title = 'Review desk';
  if (!found.ok) {
    const main = html`${refusalNotice(found)}${filterForm(filters, '/desk')}`;
    return renderPage(c, { title, section: 'desk', main, status: statusOf(found) });
  }
  const { entries } = found.value;
  const main = html`${flashNote(c, options)}
<p class="lede">${countLine(found.value, filters)}</p>
${filterForm(filters, '/desk')}
${entries.length === 0 ? emptyState(found.value, filters) : html`<ol class="thoughts">${entries.map((entry) => entryItem(c, entry, now))}</ol>`}
${pager(found.value, { filters, after })}
<p class="byline no-print"><a href="${withFilters('/desk/batch', filters)}">Decide several by rule</a>
<a href="/desk/feed.atom" type="application/atom+xml">Atom feed</a></p>`;
  return renderPage(c, { title, section: 'desk', main });
}

function countLine({ total, unlooked }: QueuePage, filters: Filters): string {
  const things = `${total} ${total === 1 ? 'proposal waits' : 'proposals wait'}`;
  if (unlooked !== undefined)
    return `${total} of the next ${LOOKED} match; ${unlooked} after them were not looked at yet`;
  return isFiltered(filters) ? `${things} that match` : `${things} for your decision, the longest waiting first`;
}

function emptyState({ unlooked }: QueuePage, filters: Filters): Html {
  if (unlooked !== undefined) return html`<p>None of them matches. The next page looks further.</p>`;
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

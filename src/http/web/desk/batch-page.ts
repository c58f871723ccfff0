/** Several proposals by one verdict: a filter, a choice of what it finds, a preview, and then each decided for itself. */
import { randomUUID } from 'node:crypto';
import { html } from 'hono/html';
import type { QueueEntry } from '../../../trail/queue.ts';
import { type QueuePage, queue } from '../../../trail/queue.ts';
import { csrfField } from '../form.ts';
import { type Html, type Page, renderPage } from '../layout.ts';
import type { WebOptions } from '../web.ts';
import { NOTHING_TYPED, type Typed, verdictFields } from './decision-form.ts';
import { careList, deskPath, entryByline, strangersLine } from './entry.ts';
import { filterForm, filtersOf, queueInputOf } from './filters.ts';
import { agentsPage, type DeskContext, deciderOf, refusalNote, statusOf } from './viewer.ts';

export const BATCH_LIMIT = 100;

export interface BatchPage {
  readonly problem?: string;
  readonly typed?: Typed;
  /** @default 200 */
  readonly status?: NonNullable<Page['status']>;
}

export async function batchPage(c: DeskContext, options: WebOptions, page: BatchPage = {}): Promise<Response> {
  const context = await deciderOf(c);
  if (context === null) return agentsPage(c);
  const { problem, typed = NOTHING_TYPED, status = 200 } = page;
  const filters = filtersOf(c);
  const now = options.now();
  const found = await queue(context, { ...queueInputOf(filters, now), limit: BATCH_LIMIT });
  const title = 'Decide several by rule';
  const above = html`<p class="byline"><a href="/desk">Queue</a></p>`;
  const note = problem === undefined ? '' : html`<p class="warning" role="alert">${problem}.</p>`;
  if (!found.ok) {
    const main = html`${note}${refusalNote(found)}${filterForm(filters, '/desk/batch')}`;
    return renderPage(c, { title, section: 'desk', main, above, status: statusOf(found) });
  }
  const main = html`${note}
<p class="lede">What asks for care is not chosen beforehand: read it, then choose it by itself.</p>
${filterForm(filters, '/desk/batch')}
${choice(c, found.value, { typed, now })}`;
  return renderPage(c, { title, section: 'desk', main, above, status });
}

interface Choice {
  readonly typed: Typed;
  readonly now: number;
}

function choice(c: DeskContext, { entries, total }: QueuePage, { typed, now }: Choice): Html {
  if (total === 0) return html`<p>Nothing that waits matches.</p>`;
  if (c.var.caller.browser === undefined) {
    return html`<p class="note">To decide, <a href="/login">sign in with a browser</a>.</p>`;
  }
  const more = total > entries.length ? html`<p>The ${entries.length} that wait longest of ${total}.</p>` : '';
  return html`${more}<form method="post" action="/desk/batch">${csrfField(c)}
<fieldset><legend>Which of them</legend><ul class="thoughts picks">${entries.map((entry) => pickItem(c, entry, now))}</ul>
</fieldset>
${verdictFields(typed)}
<p><button type="submit">Preview</button> <span class="hint">nothing is decided yet</span></p></form>`;
}

function pickItem(c: DeskContext, entry: QueueEntry, now: number): Html {
  const { thought_id, care, content_preview } = entry;
  const isChosen = care.length === 0;
  return html`<li><p><label class="choice"><input type="checkbox" name="pick" value="${pickOf(entry)}"${
    isChosen ? html` checked` : ''
  }> ${strangersLine(content_preview)}</label> <a href="${deskPath(thought_id)}">Read it whole<span
class="visually-hidden">: ${thought_id}</span></a></p>
${careList(care)}${entryByline(c, entry, now)}</li>`;
}

/** Id, claim and scope of what was shown. */
function pickOf({ thought_id, claim = '', source_trail }: QueueEntry): string {
  return `${thought_id} ${claim} ${source_trail}`;
}

export function batchKey(): string {
  return `batch-${randomUUID()}`;
}

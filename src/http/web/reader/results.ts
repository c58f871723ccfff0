/** What a search or a scope holds: a count, the thoughts, and the way to the next page. Also sent by itself. */
import type { Context } from 'hono';
import { html } from 'hono/html';
import { tokensOf } from '../../../record/matching.ts';
import type { Outcome } from '../../../record/outcome.ts';
import type { RecallResult } from '../../../trail/types.ts';
import type { HttpEnv } from '../../caller.ts';
import { refusalNotice, statusOf } from '../error-page.ts';
import type { Html } from '../layout.ts';
import { thoughtList } from '../parts/thought-list.ts';
import { type ListQuery, pageOf } from './list-query.ts';

export interface Results {
  readonly content: Html;
  readonly status: 200 | 400 | 403 | 404 | 413 | 429 | 500 | 503;
}

export function renderResults(c: Context<HttpEnv>, found: Outcome<RecallResult>, query: ListQuery): Results {
  if (!found.ok) return { content: refusalNotice(found), status: statusOf(found) };
  const { thoughts, total, cursor, notes = [], index } = found.value;
  const tokens = tokensOf(query.q ?? '');
  const content = html`<p data-count class="soft">${countOf(total)}</p>
${notes.map((note) => html`<p class="note">${note}</p>\n`)}
${index === undefined ? '' : html`<p class="note">The newest ${index.behind} commits are not taken in yet.</p>`}
${thoughts.length === 0 ? emptyNotice(query) : thoughtList(c, thoughts, { tokens, level: 2 })}
${pager(c, { cursor, isFirst: query.cursor === undefined })}`;
  return { content, status: 200 };
}

/** Answers with the results alone where the page's own script asks, else `null`. */
export async function fragment(c: Context<HttpEnv>, { content, status }: Results): Promise<Response | null> {
  if (c.req.header('x-fragment') !== 'results') return null;
  // A refusal is content here: the script shows it where the results stand.
  return c.html(await content, status === 503 ? 503 : 200);
}

function countOf(total: RecallResult['total']): string {
  const number = typeof total === 'number' ? total : total.at_least;
  const shown = `${number.toLocaleString('en-US')}${typeof total === 'number' ? '' : '+'}`;
  return `${shown} ${total === 1 ? 'thought' : 'thoughts'}`;
}

function emptyNotice({ q }: ListQuery): Html {
  return q === undefined
    ? html`<p>Nothing here that you may see.</p>`
    : html`<p>Nothing matches. Every word of the search must be in the thought: try fewer, or a part of one.</p>`;
}

function pager(
  c: Context<HttpEnv>,
  { cursor, isFirst }: { readonly cursor: string | undefined; readonly isFirst: boolean },
): Html {
  if (cursor === undefined && isFirst) return html``;
  return html`<nav class="pager" aria-label="Pages">${isFirst ? html`<span></span>` : html`<a href="${pageOf(c)}">First page</a>`}
${cursor === undefined ? '' : html`<a rel="next" href="${pageOf(c, cursor)}">Next page</a>`}</nav>`;
}

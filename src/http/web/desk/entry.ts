/** A proposal in a list, and why it asks for care. */
import { html } from 'hono/html';
import { lineOf } from '../../../record/preview.ts';
import { reveal } from '../../../record/reveal.ts';
import { type Care, describeCare } from '../../../trail/care.ts';
import type { QueueEntry } from '../../../trail/queue.ts';
import type { Html } from '../layout.ts';
import { scopeLink } from '../parts/page-links.ts';
import { renderTime, spanOf } from '../parts/time.ts';
import type { DeskContext } from './viewer.ts';

export function deskPath(id: string): string {
  return `/desk/${encodeURIComponent(id)}`;
}

/** Text by a stranger, which must not order or hide what stands around it. */
export function strangersLine(text: string): Html {
  return html`<bdi>${reveal(lineOf(text)) || 'Text without words'}</bdi>`;
}

/** @param now Unix milliseconds. */
export function entryItem(c: DeskContext, entry: QueueEntry, now: number): Html {
  const { thought_id, content_preview } = entry;
  return html`<li><h2><a href="${deskPath(thought_id)}">${strangersLine(content_preview)}</a></h2>
${careList(entry.care)}
${entryByline(c, entry, now)}</li>`;
}

export function entryByline(c: DeskContext, entry: QueueEntry, now: number): Html {
  const { source_trail, agent_id, proposed_at, votes, advice, unverified } = entry;
  const waits = html`waits for ${spanOf(Date.parse(proposed_at), now)}, since ${renderTime(proposed_at)}`;
  return html`<p class="byline">${scopeLink(c, source_trail)} <span>by <code>${agent_id}</code></span> <span>${waits}</span>
${votes === undefined ? '' : html`<span class="badge">${votes.given} of ${votes.needed} approvals</span>`}
${advice === undefined ? '' : html`<span class="badge">${adviceLabel(advice)}</span>`}
${unverified === undefined ? '' : html`<span class="badge" data-status="unverified">${unverified}</span>`}</p>`;
}

export function adviceLabel(verdict: NonNullable<QueueEntry['advice']>): string {
  return verdict === 'error' ? 'a model gave no verdict' : `a model says ${verdict}`;
}

/** Each by its name, with what it rests on. */
export function careList(cares: readonly Care[]): Html {
  if (cares.length === 0) return html``;
  return html`<ul class="tags" aria-label="Reasons for care">
${cares.map((care) => html`<li><span>${describeCare(care)}</span></li>`)}</ul>`;
}

/** The parts of a proposal's page: everything the decision is about, nothing hidden. */
import { html } from 'hono/html';
import { reveal } from '../../../record/reveal.ts';
import type { JsonObject } from '../../../record/thought.ts';
import type { ComparedThought } from '../../../trail/desk/compared-texts.ts';
import type { Proposal } from '../../../trail/proposal.ts';
import type { Html } from '../layout.ts';
import { renderMarkdown } from '../parts/markdown.ts';
import { scopeLink, thoughtPath } from '../parts/page-links.ts';
import { renderTime, spanOf } from '../parts/time.ts';
import { renderWordDiff } from '../parts/word-diff.ts';
import { careList, strangersLine } from './entry.ts';
import type { DeskContext } from './viewer.ts';

/** Shown elsewhere on the page, or the same for every thought. */
const SHOWN = ['schema_version', 'thought_id', 'agent_id'];

/** @param now Unix milliseconds. */
export function factsSection(c: DeskContext, proposal: Proposal, now: number): Html {
  const { entry, fields, claim, ballot } = proposal;
  const { thought_id, source_trail, agent_id, proposed_at, unverified } = entry;
  const own = agent_id === c.var.caller.principal.agent_id ? ' (you)' : '';
  const rows: readonly (readonly [string, Html | string])[] = [
    ['Thought', html`<a href="${thoughtPath(thought_id)}"><code>${thought_id}</code></a>`],
    ['Scope', scopeLink(c, source_trail)],
    ['Author', html`<code>${agent_id}</code>${own}`],
    ['Waits', html`for ${spanOf(Date.parse(proposed_at), now)}, since ${renderTime(proposed_at)}`],
    ...(unverified === undefined ? [] : [['State', unverified] as const]),
    ...(ballot === null
      ? []
      : [['Approved by', ballot.votes.map(({ agent_id }) => agent_id).join(', ') || 'nobody yet'] as const]),
    ...shownFields(fields).map(([name, value]) => [labelOf(name), html`<bdi>${reveal(value)}</bdi>`] as const),
    ['Claim', html`<code>${claim}</code>`],
  ];
  return html`<dl class="facts">${rows.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;
}

/** `supersedes_id` as `Supersedes id`. */
function labelOf(name: string): string {
  const words = reveal(name).replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Fields that say something, one level of `metadata` unfolded. */
export function shownFields(fields: JsonObject): readonly (readonly [string, string])[] {
  const { metadata, ...plain } = fields;
  const unfolded = typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata) ? metadata : {};
  return Object.entries({ ...plain, ...unfolded })
    .filter(([name, value]) => !SHOWN.includes(name) && !isEmpty(value))
    .map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]);
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === '') return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === 'object' && Object.values(value).every(isEmpty);
}

export function careSection({ entry }: Proposal): Html {
  return entry.care.length === 0 ? html`<p>No reason for more care than usual was found.</p>` : careList(entry.care);
}

export function textSections(body: string): Html {
  return html`<section aria-labelledby="text"><h2 id="text">Text</h2>${renderMarkdown(body, { under: 2 })}</section>
<section aria-labelledby="source"><h2 id="source">Source</h2>
<p class="hint">The same text as it was written, whole. What cannot be seen stands as <code>&lt;U+200B&gt;</code>.</p>
<pre dir="auto" tabindex="0" aria-label="Source of the text">${reveal(body)}</pre></section>`;
}

export function replacedSection(c: DeskContext, { entry, predecessor, body }: Proposal): Html {
  const { supersedes_id } = entry;
  if (predecessor === null) {
    if (supersedes_id === undefined) return html`<p>It replaces nothing.</p>`;
    return html`<p>It would replace <code>${supersedes_id}</code>, which is not here for you to see.</p>`;
  }
  const { thought_id, scope } = predecessor;
  return html`<p>Approving it retires <a href="${thoughtPath(thought_id)}"><code>${thought_id}</code></a> in
${scopeLink(c, scope)}. The difference, word by word, with nothing left out:</p>
${renderWordDiff(predecessor.body, body)}`;
}

export function comparedSection(thoughts: readonly ComparedThought[]): Html {
  if (thoughts.length === 0) return html`<p>Nothing that is approved in the scope says nearly the same.</p>`;
  return html`<ul class="thoughts">${thoughts.map(
    ({ thought_id, agent_id, body, similarity, differs }) => html`<li>
<h3><a href="${thoughtPath(thought_id)}"><code>${thought_id}</code></a></h3>
${differs.length === 0 ? '' : html`<p class="warning">Contradiction: another ${differs.join(' and another ')}</p>`}
<p class="byline"><span>by <code>${agent_id}</code></span>
${similarity === undefined ? '' : html`<span>alike: ${similarity.toFixed(2)} (1 is the same words)</span>`}</p>
<div class="plain" dir="auto">${reveal(body)}</div></li>`,
  )}</ul>`;
}

export function causesSection({ causes, entry }: Proposal): Html {
  const traced = html`<p><a href="${thoughtPath(entry.thought_id)}/trace">The whole trace</a></p>`;
  if (causes.length === 0) return html`<p>Its author named nothing that informed it.</p>${traced}`;
  return html`<ul class="entries">${causes.map(({ record, verb, agent_id, thought_id, preview }) => {
    const who = verb === undefined ? 'not in this record for you' : `${verb} by ${agent_id ?? 'somebody'}`;
    const what =
      thought_id === undefined
        ? html`<code>${record}</code>`
        : html`<a href="${thoughtPath(thought_id)}/trace"><code>${thought_id}</code></a>`;
    return html`<li>${what} <span class="soft">${who}</span>
${preview === undefined ? '' : html`<br>${strangersLine(preview)}`}</li>`;
  })}</ul>${traced}`;
}

/** A model advises; what it says is text of a stranger. */
export function adviceSection({ advice }: Proposal): Html {
  if (advice === null) return html`<p>No model was asked about this text.</p>`;
  const { verdict, model, policy, prompt, reasoning, error, at } = advice;
  return html`<p><b>${verdict === 'error' ? 'No verdict' : `Advises to ${verdict}`}</b>, <bdi>${reveal(model)}</bdi>,
${renderTime(at)}. Policy <code>${policy}</code>; instructions <code>${prompt}</code>.</p>
${error === undefined ? '' : html`<p>${error}</p>`}
<div class="plain" dir="auto">${reveal(reasoning)}</div>`;
}

/** Never their text: a rejected value is not repeated to whoever looks. */
export function tombstoneSection({ tombstones }: Proposal): Html {
  if (tombstones.length === 0) return html`<p>It is not close to a rejected value.</p>`;
  return html`<ul class="entries">${tombstones.map(
    ({ tombstone, scope, since, reason }) => html`<li><code>${tombstone}</code> in ${scope}, kept out since
${renderTime(since)}: <bdi>${reveal(reason)}</bdi></li>`,
  )}</ul>`;
}

/** Thoughts in a list, as every page shows them, with the words that were searched for marked. */
import type { Context } from 'hono';
import { html } from 'hono/html';
import { findTokens } from '../../../record/excerpt.ts';
import { lineOf } from '../../../record/preview.ts';
import { reveal } from '../../../record/reveal.ts';
import type { ThoughtSummary } from '../../../trail/types.ts';
import type { HttpEnv } from '../../caller.ts';
import type { Html } from '../layout.ts';
import { linkTo, scopeLink, thoughtPath } from './page-links.ts';
import { shownStatus, statusBadge } from './status-badge.ts';
import { renderDay } from './time.ts';

export interface ThoughtListOptions {
  /** Folded, as `tokensOf` gives them. @default nothing is marked */
  readonly tokens?: readonly string[];
  /** Level of each title. */
  readonly level: 2 | 3;
}

export function thoughtList(
  c: Context<HttpEnv>,
  thoughts: readonly ThoughtSummary[],
  options: ThoughtListOptions,
): Html {
  return html`<ol class="thoughts">${thoughts.map((thought) => thoughtEntry(c, thought, options))}</ol>`;
}

function thoughtEntry(c: Context<HttpEnv>, thought: ThoughtSummary, { tokens = [], level }: ThoughtListOptions): Html {
  const { thought_id, agent_id, created_at, source_trail, excerpt, content_preview, source_type } = thought;
  const link = html`<a href="${linkTo(c, thoughtPath(thought_id))}">${marked(titleOf(thought), tokens)}</a>`;
  const preview = behindTitle(excerpt ?? content_preview, titleOf(thought));
  return html`<li>
${level === 2 ? html`<h2>${link}</h2>` : html`<h3>${link}</h3>`}
${preview === '' ? '' : html`<p class="preview">${marked(preview, tokens)}</p>`}
<p class="byline">${statusBadge(shownStatus(thought))} <span>${sourceLabel(source_type)}</span> <span>by ${agent_id}</span>
${renderDay(created_at)} ${source_trail === undefined ? '' : scopeLink(c, source_trail)}</p>
</li>
`;
}

/** Its first line that says something; its id where none does. */
export function titleOf({
  content_preview,
  thought_id,
}: Pick<ThoughtSummary, 'content_preview' | 'thought_id'>): string {
  const line = lineOf(content_preview);
  return line === '' ? thought_id : line;
}

/** What the text says beyond its title. */
function behindTitle(text: string, title: string): string {
  const line = text.replace(/^[\s#>*-]+/, '').replace(/\s+/g, ' ');
  const isCut = title.endsWith('...');
  const start = isCut ? title.slice(0, -'...'.length) : title;
  if (!line.startsWith(start)) return line;
  const rest = line.slice(start.length).trim();
  return isCut && rest !== '' ? `… ${rest}` : rest;
}

export function sourceLabel(type: string): string {
  return type.replaceAll('_', ' ');
}

/** The text with what can be seen alone, the tokens marked. */
function marked(text: string, tokens: readonly string[]): Html {
  const shown = reveal(text);
  let at = 0;
  const pieces = findTokens(shown, tokens).map(({ from, to }) => {
    const before = shown.slice(at, from);
    at = to;
    return html`${before}<mark>${shown.slice(from, to)}</mark>`;
  });
  return html`${pieces}${shown.slice(at)}`;
}

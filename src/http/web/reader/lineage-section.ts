/** Versions before and after, with what changed between them, and the thoughts this one names and is named by. */
import type { Context } from 'hono';
import { html } from 'hono/html';
import { reveal } from '../../../record/reveal.ts';
import type { Lineage, NamedThought, Version } from '../../../trail/lineage.ts';
import type { ThoughtSummary } from '../../../trail/types.ts';
import type { HttpEnv } from '../../caller.ts';
import type { Html } from '../layout.ts';
import { linkTo, thoughtPath } from '../parts/page-links.ts';
import { shownStatus, statusBadge } from '../parts/status-badge.ts';
import { titleOf } from '../parts/thought-list.ts';
import { renderDay } from '../parts/time.ts';
import { renderWordDiff } from '../parts/word-diff.ts';

/** Of differences alone; the versions are linked whatever their number. */
const DIFFERENCES = 3;
/** Characters of both versions: a page stays small. */
const LONGEST = 48 * 1024;

export function lineageSection(c: Context<HttpEnv>, current: Version, lineage: Lineage): Html {
  const { older, newer, hasUnseenOlder } = lineage;
  if (older.length === 0 && newer.length === 0 && !hasUnseenOlder) return html``;
  const before = [current, ...older];
  return html`<section aria-labelledby="versions"><h2 id="versions">Versions</h2>
<ol class="entries">
${[...newer].reverse().map((version) => versionEntry(c, version))}
<li aria-current="true"><b>This one</b> ${renderDay(current.thought.created_at)}</li>
${older.map((version) => versionEntry(c, version))}
${hasUnseenOlder ? html`<li class="soft">An older version is not visible or absent</li>` : ''}
</ol>
${before.slice(0, DIFFERENCES).map((version, at) => difference(c, version, before[at + 1]))}
${newer.slice(0, DIFFERENCES).map((version) => difference(c, version, olderOf(version, [current, ...newer])))}
</section>`;
}

function olderOf({ thought }: Version, versions: readonly Version[]): Version | undefined {
  return versions.find((version) => version.thought.thought_id === thought.supersedes_id);
}

function versionEntry(c: Context<HttpEnv>, { thought }: Version): Html {
  return html`<li>${thoughtLink(c, thought)}<p class="byline">${statusBadge(shownStatus(thought))} <span>by ${thought.agent_id}</span> ${renderDay(thought.created_at)}</p></li>\n`;
}

function difference(c: Context<HttpEnv>, now: Version, before: Version | undefined): Html {
  if (before === undefined) return html``;
  const names = html`from ${thoughtLink(c, before.thought)} to ${thoughtLink(c, now.thought)}`;
  if (before.body.length + now.body.length > LONGEST) {
    return html`<h3>What changed</h3><p>${names}: both are too long to compare on a page.</p>`;
  }
  return html`<h3>What changed ${names}</h3>
${now.thought.reason === undefined ? '' : html`<p>Because: <q>${reveal(now.thought.reason)}</q></p>`}
${renderWordDiff(before.body, now.body)}`;
}

const KINDS: Readonly<Record<NamedThought['kind'], readonly [out: string, into: string]>> = {
  DEPENDS_ON: ['Depends on', 'Depended on by'],
  REVISED_BY: ['Revised by', 'Revises'],
  AUTHORED_BY: ['Authored by', 'Author of'],
  REFERENCES: ['Refers to', 'Referred to by'],
  SUPERSEDES: ['Supersedes', 'Superseded by'],
  parent_id: ['Follows', 'Followed by'],
  intent_ref: ['Serves the intent', 'Intent of'],
  supersedes_id: ['Supersedes', 'Superseded by'],
};

export interface Relationships {
  readonly names: readonly NamedThought[];
  readonly namedBy: readonly NamedThought[];
}

export function relationshipsSection(c: Context<HttpEnv>, { names, namedBy }: Relationships): Html {
  if (names.length === 0 && namedBy.length === 0) return html``;
  const entries = (named: readonly NamedThought[], side: 0 | 1) =>
    named.map((one) => html`<li><span class="soft">${KINDS[one.kind][side]}</span> ${target(c, one)}</li>\n`);
  return html`<section aria-labelledby="relationships"><h2 id="relationships">Relationships</h2>
<ul class="entries">${entries(names, 0)}${entries(namedBy, 1)}</ul></section>`;
}

/** What cannot be shown reads the same whether it is withheld or gone. */
function target(c: Context<HttpEnv>, { thought, thought_id }: NamedThought): Html {
  if (thought === undefined)
    return html`<code>${reveal(thought_id)}</code> <span class="soft">not visible or absent</span>`;
  return html`${thoughtLink(c, thought)} ${statusBadge(shownStatus(thought))}`;
}

function thoughtLink(c: Context<HttpEnv>, thought: ThoughtSummary): Html {
  return html`<a href="${linkTo(c, thoughtPath(thought.thought_id))}">${reveal(titleOf(thought))}</a>`;
}

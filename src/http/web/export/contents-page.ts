/** `/contents`: every thought that may be seen, by its scope. Of a static copy, in the place of a search. */
import type { Context } from 'hono';
import { html } from 'hono/html';
import { reveal } from '../../../record/reveal.ts';
import { scopeSummaries } from '../../../trail/overview.ts';
import type { ThoughtSummary } from '../../../trail/types.ts';
import type { HttpEnv } from '../../caller.ts';
import { refusalPage } from '../error-page.ts';
import { type Html, renderPage } from '../layout.ts';
import { scopeLink, thoughtPath } from '../parts/page-links.ts';
import { titleOf } from '../parts/thought-list.ts';

const PAGE = 100;

export async function contentsPage(c: Context<HttpEnv>): Promise<Response> {
  const { session } = c.var.caller;
  const scopes = await scopeSummaries(await session.context());
  const sections: Html[] = [];
  for (const { scope } of scopes) {
    const thoughts: ThoughtSummary[] = [];
    let cursor: string | undefined;
    do {
      const found = await session.operations().recall({ trail_name: scope, order: 'newest', limit: PAGE, cursor });
      if (!found.ok) return refusalPage(c, found);
      thoughts.push(...found.value.thoughts);
      ({ cursor } = found.value);
    } while (cursor !== undefined);
    sections.push(html`<h2>${scopeLink(c, scope)}</h2>
<ul>${thoughts.map((thought) => html`<li><a href="${thoughtPath(thought.thought_id)}">${reveal(titleOf(thought))}</a></li>\n`)}</ul>`);
  }
  return renderPage(c, { title: 'Contents', section: 'search', main: html`${sections}` });
}

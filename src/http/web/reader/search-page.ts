/** `/search`: over all scopes, or those that a glob names. */
import type { Context } from 'hono';
import { html } from 'hono/html';
import type { HttpEnv } from '../../caller.ts';
import { asOfControl } from '../as-of.ts';
import { errorPage } from '../error-page.ts';
import { renderPage } from '../layout.ts';
import { filters } from './filters.ts';
import { listQueryOf, recallInputOf } from './list-query.ts';
import { fragment, renderResults } from './results.ts';

export async function searchPage(c: Context<HttpEnv>): Promise<Response> {
  const query = listQueryOf(c);
  if (query === null) return errorPage(c, 400);
  const found = await c.var.caller.session.operations().recall(recallInputOf(query, [query.scope ?? '**']));
  const results = renderResults(c, found, query);
  const alone = await fragment(c, results);
  if (alone !== null) return alone;
  const own = html`<div><label for="scope">Scope</label><input id="scope" name="scope" value="${query.scope ?? ''}" placeholder="acme/**" size="16" maxlength="255" autocomplete="off"></div>`;
  const main = html`${filters(c, { action: '/search', query, own })}
<div id="results">${results.content}</div>`;
  const title = query.q === undefined ? 'Search' : `Search: ${query.q.slice(0, 80)}`;
  return renderPage(c, {
    title,
    section: 'search',
    status: results.status,
    asOf: asOfControl(c),
    main,
    scripts: ['search.js'],
  });
}

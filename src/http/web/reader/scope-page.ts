/** `/s/<scope>`: what one scope holds, with those below it where asked. */
import type { Context } from 'hono';
import { html } from 'hono/html';
import { scopeSummaries } from '../../../trail/overview.ts';
import type { HttpEnv } from '../../caller.ts';
import { asOfControl } from '../as-of.ts';
import { errorPage } from '../error-page.ts';
import { type Html, renderPage } from '../layout.ts';
import { linkTo, scopePath } from '../parts/page-links.ts';
import { filters } from './filters.ts';
import { listQueryOf, recallInputOf } from './list-query.ts';
import { fragment, renderResults } from './results.ts';

export async function scopePage(c: Context<HttpEnv>, scope: string): Promise<Response> {
  const query = listQueryOf(c);
  if (query === null) return errorPage(c, 400);
  const { session } = c.var.caller;
  const scopes = (await scopeSummaries(await session.context())).map((known) => known.scope);
  const below = scopes.filter((known) => known.startsWith(`${scope}/`));
  if (!scopes.includes(scope) && below.length === 0) return errorPage(c, 404);
  const withBelow = query.below === '1';
  const found = await session.operations().recall(recallInputOf(query, [scope, ...(withBelow ? [`${scope}/**`] : [])]));
  const results = renderResults(c, found, query);
  const alone = await fragment(c, results);
  if (alone !== null) return alone;
  const own =
    below.length === 0
      ? html``
      : html`<label class="choice"><input type="checkbox" name="below" value="1"${withBelow ? html` checked` : ''}> with ${
          below.length === 1 ? 'the scope' : `the ${below.length} scopes`
        } below</label>`;
  const main = html`${children(c, scope, below)}
${filters(c, { action: scopePath(scope), query, own })}
<div id="results">${results.content}</div>`;
  const name = scope.slice(scope.lastIndexOf('/') + 1);
  return renderPage(c, {
    title: name,
    status: results.status,
    above: crumbs(c, scope),
    asOf: asOfControl(c),
    main,
    scripts: ['search.js'],
  });
}

/** Where a scope lies: links to those above it. */
export function crumbs(c: Context<HttpEnv>, scope: string, last = false): Html {
  const names = scope.split('/');
  const shown = last ? names : names.slice(0, -1);
  return html`<nav aria-label="Place"><ol class="crumbs"><li><a href="${linkTo(c, '/')}">${c.var.frame.recordName}</a></li>
${shown.map((name, at) => html`<li><a href="${linkTo(c, scopePath(names.slice(0, at + 1).join('/')))}">${name}</a></li>\n`)}</ol></nav>`;
}

function children(c: Context<HttpEnv>, scope: string, below: readonly string[]): Html {
  const next = [...new Set(below.map((name) => name.slice(scope.length + 1).split('/')[0] ?? ''))];
  if (next.length === 0) return html``;
  return html`<nav aria-label="Scopes below"><ul class="tags">${next.map(
    (name) => html`<li><a href="${linkTo(c, scopePath(`${scope}/${name}`))}">${name}</a></li>\n`,
  )}</ul></nav><p></p>`;
}

/** The frame of every page. */
import type { Context } from 'hono';
import { html } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';
import type { Caller, HttpEnv } from '../caller.ts';
import { assetPath } from './assets.ts';
import type { Frame } from './frame.ts';
import { keptFields, linkTo } from './parts/page-links.ts';

/** What `html` gives; every value in it is escaped. */
export type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

export type Section = 'overview' | 'search' | 'desk' | 'ledger';

export interface Page {
  readonly title: string;
  readonly main: Html;
  /** The entry of the navigation it belongs to. */
  readonly section?: Section;
  /** @default 200 */
  readonly status?: 200 | 300 | 400 | 401 | 403 | 404 | 409 | 413 | 429 | 500 | 503;
  /** Paths of scripts below `/assets/`, loaded as modules; the page works without. */
  readonly scripts?: readonly string[];
  /** Stands above the title: where in the record the page is. */
  readonly above?: Html;
  /** The control of the time that is read, and a notice when that is not now. */
  readonly asOf?: Html;
}

const SECTIONS: readonly (readonly [Section, path: string, label: string])[] = [
  ['overview', '/', 'Overview'],
  ['search', '/search', 'Search'],
  ['desk', '/desk', 'Desk'],
  ['ledger', '/ledger', 'Ledger'],
];

export async function renderPage(c: Context<HttpEnv>, page: Page): Promise<Response> {
  const { title, main, scripts = [], status = 200, above = '', asOf = '' } = page;
  // A page for somebody who has not signed in has no caller, and one outside of the reader no frame.
  const caller: Caller | undefined = c.get('caller');
  const frame: Frame | undefined = c.get('frame');
  const waiting = caller === undefined ? null : ((await frame?.waiting().catch(() => null)) ?? null);
  const document = await html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · ${frame?.recordName ?? 'Waymark'}</title>
<link rel="stylesheet" href="${assetPath('site.css')}">
<link rel="icon" href="${assetPath('mark.svg')}" type="image/svg+xml">
${scripts.map((script) => html`<script type="module" src="${assetPath(script)}"></script>\n`)}</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="site">
<div class="bar">
<a class="wordmark" href="${linkTo(c, '/')}">Waymark</a>
<nav aria-label="Main"><ul>
${SECTIONS.map((entry) => navigationEntry(c, { entry, current: page.section, waiting }))}</ul></nav>
<form class="find" role="search" action="/search" method="get">
<label class="visually-hidden" for="find">Search the record</label>
<input id="find" name="q" type="search" placeholder="Search the record" maxlength="1000" autocomplete="off">
${keptFields(c)}
<button class="visually-hidden" type="submit">Search</button>
</form>
${account(caller)}
</div>
</header>
<main id="main" tabindex="-1">
${await asOf}${await above}<h1>${title}</h1>
${await main}
</main>
<footer class="site"><p>${frame === undefined ? '' : html`${frame.recordName} · Waymark ${frame.version}`}</p></footer>
</body>
</html>
`;
  return c.html(document, status);
}

interface NavigationOptions {
  readonly entry: (typeof SECTIONS)[number];
  readonly current: Section | undefined;
  readonly waiting: number | null;
}

function navigationEntry(c: Context<HttpEnv>, { entry, current, waiting }: NavigationOptions): Html {
  const [section, path, label] = entry;
  const count =
    section === 'desk' && waiting !== null && waiting > 0
      ? html` <span class="count"><span class="visually-hidden">waiting for you: </span>${waiting}</span>`
      : '';
  const href = section === 'desk' ? path : linkTo(c, path);
  const here = section === current ? html` aria-current="page"` : '';
  return html`<li><a href="${href}"${here}>${label}${count}</a></li>\n`;
}

function account(caller: Caller | undefined): Html {
  if (caller === undefined) return html`<p class="account"><a href="/login">Sign in</a></p>`;
  const { principal, browser } = caller;
  const who = html`<span class="who"><b>${principal.agent_id}</b> <span class="role">${principal.role}</span></span>`;
  if (browser === undefined) return html`<p class="account">${who} <a href="/login">Sign in</a></p>`;
  return html`<form class="account" action="/logout" method="post">${who}
<input type="hidden" name="csrf" value="${browser.csrf}"><button class="quiet" type="submit">Sign out</button></form>`;
}

/** The frame of every page. */
import type { Context } from 'hono';
import { html } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';
import type { HttpEnv } from '../caller.ts';

/** What `html` gives; every value in it is escaped. */
export type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

export interface Page {
  readonly title: string;
  readonly main: Html;
  /** The entry of the navigation it belongs to. */
  readonly section?: 'overview' | 'search' | 'desk' | 'ledger';
  /** @default 200 */
  readonly status?: 200 | 400 | 403 | 404 | 409 | 429 | 503;
  /** Paths of scripts below `/assets/`, loaded as modules; the page works without. */
  readonly scripts?: readonly string[];
}

export async function renderPage(c: Context<HttpEnv>, page: Page): Promise<Response> {
  const { title, main, scripts = [], status = 200 } = page;
  const document = await html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Waymark</title>
<link rel="stylesheet" href="/assets/site.css">
${scripts.map((script) => html`<script type="module" src="/assets/${script}"></script>\n`)}</head>
<body>
<main id="main">
<h1>${title}</h1>
${await main}
</main>
</body>
</html>
`;
  return c.html(document, status);
}

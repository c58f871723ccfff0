/** What stands in place of a page, always with a next step. What is withheld and what is absent read the same. */
import type { Context } from 'hono';
import { html } from 'hono/html';
import type { Refusal } from '../../record/outcome.ts';
import type { HttpEnv } from '../caller.ts';
import { type Html, type Page, renderPage } from './layout.ts';

export type ErrorStatus = 400 | 403 | 404 | 413 | 429 | 500 | 503;

interface Words {
  readonly title: string;
  readonly said: string;
  readonly next: Html;
}

const WORDS: Readonly<Record<ErrorStatus, Words>> = {
  400: {
    title: 'This address does not make sense',
    said: 'Something in it is not as this page expects.',
    next: html`<a href="/">Go to the overview</a>`,
  },
  403: {
    title: 'Not for you',
    said: 'What you signed in with does not open this page.',
    next: html`<a href="/login">Sign in with something that does</a>, or ask an operator of the record.`,
  },
  404: {
    title: 'Nothing here',
    said: 'There is no such page, or it is not visible to you.',
    next: html`<a href="/search">Search the record</a>, or <a href="/">go to the overview</a>.`,
  },
  413: { title: 'Too large', said: 'What was sent is over the limit.', next: html`Send less at once.` },
  429: {
    title: 'Too many requests',
    said: 'You have asked for more than is allowed in this time.',
    next: html`Wait a minute, then load the page again.`,
  },
  500: {
    title: 'Something went wrong here',
    said: 'The request failed and the log names the fault. What was acknowledged before is safe.',
    next: html`Load the page again; if it fails again, tell whoever runs this server.`,
  },
  503: {
    title: 'Not ready',
    said: 'The record cannot be read at the moment.',
    next: html`Load the page again in a while.`,
  },
};

export function errorPage(c: Context<HttpEnv>, status: ErrorStatus): Promise<Response> {
  const { title, said, next } = WORDS[status];
  return renderPage(c, { title, status, main: html`<p class="lede">${said}</p>\n<p>${next}</p>` });
}

/** Whether whoever asks is a person with a browser. */
export function wantsPage(c: Context): boolean {
  return c.req.path !== '/mcp' && (c.req.header('accept') ?? '').includes('text/html');
}

/** A refusal of an operation as a page: its own words, and what to do. */
export function refusalPage(
  c: Context<HttpEnv>,
  refusal: Refusal,
  page: Pick<Page, 'section' | 'asOf'> = {},
): Promise<Response> {
  const status = statusOf(refusal);
  if (status === 404) return errorPage(c, 404);
  return renderPage(c, { ...page, title: WORDS[status].title, status, main: refusalNotice(refusal) });
}

export function refusalNotice({ message, next }: Refusal): Html {
  return html`<div class="warning" role="status"><p>${message}.</p><p>${next}.</p></div>`;
}

/** The HTTP status that says the same. */
export function statusOf({ code }: Refusal): ErrorStatus {
  switch (code) {
    case 'not_found':
      return 404;
    case 'authority':
      return 403;
    case 'busy':
      return 503;
    default:
      return 400;
  }
}

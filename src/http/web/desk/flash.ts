/** What the last form did, said once on the page it led to. */
import { html } from 'hono/html';
import type { Html } from '../layout.ts';
import { thoughtPath } from '../parts/page-links.ts';
import type { WebOptions } from '../web.ts';
import type { DeskContext } from './viewer.ts';

export function flashNote(c: DeskContext, { signIn }: WebOptions): Html {
  const { browser } = c.var.caller;
  const flash = browser === undefined ? null : (signIn?.browsers.takeFlash(browser.id) ?? null);
  if (flash === null) return html``;
  const { message, thought_id } = flash;
  const about =
    thought_id === undefined ? '' : html` <a href="${thoughtPath(thought_id)}"><code>${thought_id}</code></a>`;
  return html`<p class="note" role="status">${message}${about}</p>`;
}

/** What has a meaning only where a server answers; a static copy leaves it out. */
import { html, raw } from 'hono/html';
import type { Html } from '../layout.ts';

export function liveOnly(part: Html): Html {
  return html`${raw('<!--live-->')}${part}${raw('<!--/live-->')}`;
}

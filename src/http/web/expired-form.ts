/** A form of the desk that arrived after its session had ended: nothing of what was typed is lost with it. */
import type { Context } from 'hono';
import { html } from 'hono/html';
import type { HttpEnv } from '../caller.ts';
import { keptText } from './form.ts';
import { renderPage } from './layout.ts';

/** What people chose and typed; all else of such a form was bound to the session that ended. */
const TYPED = ['verdict', 'reason', 'grounds', 'keep_out', 'pick'];

/** Whether it is a form of the desk, and no sign-in. */
export function isExpiredForm(form: URLSearchParams, next: string): boolean {
  return next.startsWith('/desk/') && !form.has('token') && !form.has('code') && TYPED.some((name) => form.has(name));
}

/** @param next Where the form was sent to. */
export function expiredForm(c: Context<HttpEnv>, form: URLSearchParams, next: string): Promise<Response> {
  const kept = [...form].filter(([name]) => TYPED.includes(name));
  const main = html`<p class="lede" role="alert">Nothing was decided: you were signed out before the form arrived.</p>
<ol><li><a href="/login" target="_blank" rel="noopener">Sign in, in another tab</a>, and leave this page open.</li>
<li><form method="post" action="${next}">
${kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<button type="submit">Then go on with what you typed</button></form></li></ol>
${keptText(form.get('reason') ?? '')}`;
  return renderPage(c, { title: 'Your session ended', main, status: 401 });
}

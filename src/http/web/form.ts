/**
 * Forms that change something: they carry the token of the browser's session, and come from a page of ours.
 *
 * The cookie is SameSite=Strict already; token and Origin hold where a browser does not keep to that, and against other
 * programs on this machine, whose ports share our cookies.
 */
import { timingSafeEqual } from 'node:crypto';
import type { Context } from 'hono';
import { html } from 'hono/html';
import type { HttpEnv } from '../caller.ts';
import type { Html } from './layout.ts';

const FORM = 'application/x-www-form-urlencoded';

/** `null` for a body that is no form. */
export async function readForm(c: Context<HttpEnv>): Promise<URLSearchParams | null> {
  const [type = ''] = (c.req.header('content-type') ?? '').split(';');
  return type.trim().toLowerCase() === FORM ? new URLSearchParams(await c.req.text()) : null;
}

/** Whether the form is of this session and of this site. That a given Origin names us is checked for every request. */
export function isOwnForm(c: Context<HttpEnv>, form: URLSearchParams): boolean {
  const { browser } = c.var.caller;
  return browser !== undefined && c.req.header('origin') !== undefined && isSame(form.get('csrf') ?? '', browser.csrf);
}

/** In a time that does not tell where they differ. */
export function isSame(given: string, wanted: string): boolean {
  const [one, other] = [Buffer.from(given, 'utf8'), Buffer.from(wanted, 'utf8')];
  return one.length === other.length && timingSafeEqual(one, other);
}

export function csrfField(c: Context<HttpEnv>): Html {
  return html`<input type="hidden" name="csrf" value="${c.var.caller.browser?.csrf ?? ''}">`;
}

/** What was typed, so that nothing of it is lost with the form. */
export function keptText(text: string): Html {
  if (text.trim() === '') return html``;
  return html`<label for="kept">What you typed</label><textarea id="kept" readonly rows="6">${text}</textarea>`;
}

/** Addresses of pages, and links to them. Links keep the time that is read. */
import type { Context } from 'hono';
import { html } from 'hono/html';
import type { HttpEnv } from '../../caller.ts';
import type { Html } from '../layout.ts';

/** The parameters of a reading page that every link to another one keeps. */
const KEPT = ['valid_at', 'known_at'] as const;

export type Query = Readonly<Record<string, string | readonly string[] | undefined>>;

/** `/t/...` with what the present page says of times, and `query`. Values that are empty are left out. */
export function linkTo(c: Context<HttpEnv>, path: string, query: Query = {}): string {
  const kept = Object.fromEntries(KEPT.map((name) => [name, c.req.query(name)]));
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...query, ...kept })) {
    for (const one of typeof value === 'string' ? [value] : (value ?? [])) if (one !== '') params.append(name, one);
  }
  const text = params.toString();
  return text === '' ? path : `${path}?${text}`;
}

/** Hidden fields that make a form keep the time that is read. */
export function keptFields(c: Context<HttpEnv>): Html {
  const fields = KEPT.flatMap((name) => {
    const value = c.req.query(name);
    return value === undefined || value === '' ? [] : [html`<input type="hidden" name="${name}" value="${value}">`];
  });
  return html`${fields}`;
}

export function thoughtPath(id: string): string {
  return `/t/${encodeURIComponent(id)}`;
}

/** Slashes of the scope stay slashes. */
export function scopePath(scope: string): string {
  return `/s/${scope.split('/').map(encodeURIComponent).join('/')}`;
}

export function scopeLink(c: Context<HttpEnv>, scope: string): Html {
  return html`<a class="scope" href="${linkTo(c, scopePath(scope))}">${scope}</a>`;
}

/** Signing in and out. */
import { randomBytes } from 'node:crypto';
import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { html } from 'hono/html';
import type { Credential } from '../../record/principal.ts';
import { isOperatorStill, takeLoginLink } from '../../trail/desk/login-links.ts';
import { cookieName } from '../authenticate.ts';
import type { HttpEnv } from '../caller.ts';
import { peerOf } from '../peer.ts';
import { LONGEST_MS, type OpenedSession } from './browser-sessions.ts';
import { isOwnForm, isSame, readForm } from './form.ts';
import { type Html, renderPage } from './layout.ts';
import type { SignIn } from './sign-in.ts';
import type { WebApp, WebOptions } from './web.ts';

/** Binds the form of somebody who has no session yet to their browser. */
const FORM_COOKIE = 'waymark_form';
const CODE = /^[A-Za-z0-9_-]{1,64}$/;

export function addLoginPages(app: WebApp, options: WebOptions): void {
  const { signIn } = options;
  if (signIn === undefined) return;
  app.get('/login', (c) => {
    const code = c.req.query('code');
    return loginPage(c, { signIn, next: nextOf(c.req.query('next')), ...(isCode(code) ? { code } : {}) });
  });
  app.post('/login', (c) => takeIn(c, options, signIn));
  app.post('/logout', (c) => letGo(c, signIn));
}

interface LoginPage {
  readonly signIn: SignIn;
  /** Where to go afterwards. */
  readonly next: string;
  readonly code?: string;
  readonly problem?: string;
  readonly status?: 200 | 401 | 403 | 429;
}

/** Opening a link changes nothing, so that what looks at links before the person does cannot use it up. */
function loginPage(c: Context<HttpEnv>, { signIn, next, code, problem, status = 200 }: LoginPage) {
  const csrf = randomBytes(16).toString('base64url');
  setCookie(c, formCookie(signIn), csrf, { ...attributes(signIn), maxAge: 3600 });
  const hidden = html`<input type="hidden" name="csrf" value="${csrf}"><input type="hidden" name="next" value="${next}">`;
  const main = html`${problem === undefined ? '' : html`<p class="warning" role="alert">${problem}</p>`}
${code === undefined ? tokenForm(hidden) : linkForm(hidden, code)}`;
  return renderPage(c, { title: 'Sign in', main, status });
}

function linkForm(hidden: Html, code: string): Html {
  return html`<p class="lede">You opened a one-time link. It signs this browser in as the person who made it.</p>
<form method="post" action="/login">${hidden}<input type="hidden" name="code" value="${code}">
<p><button type="submit">Sign in</button></p></form>
<p class="hint">It works once, within 10 minutes of being made. You stay signed in for 12 hours at most, or until an hour
passes without a request.</p>`;
}

function tokenForm(hidden: Html): Html {
  return html`<p class="lede">Sign in to read the record; reviewers and operators also decide.</p>
<h2>With a one-time link</h2>
<p>Whoever holds an operator key on the machine of the server makes one there:</p>
<pre><code>waymark desk login</code></pre>
<h2>With a token</h2>
<form method="post" action="/login">${hidden}
<p><label for="token">Token</label><br>
<input id="token" name="token" type="password" required autocomplete="off" spellcheck="false" maxlength="256" size="40"
aria-describedby="token-hint"></p>
<p class="hint" id="token-hint">It begins with <code>wm_</code>. An operator makes one for you with
<code>waymark token create --role reviewer</code>.</p>
<p><button type="submit">Sign in</button></p></form>`;
}

async function takeIn(c: Context<HttpEnv>, options: WebOptions, signIn: SignIn): Promise<Response> {
  const form = (await readForm(c)) ?? new URLSearchParams();
  const next = nextOf(form.get('next') ?? undefined);
  const { address } = peerOf(c.req.raw.headers, { incoming: c.env?.incoming, trust: signIn.trust });
  const wait = signIn.attempts.spend(address);
  if (wait > 0) {
    c.header('Retry-After', String(wait));
    return loginPage(c, { signIn, next, status: 429, problem: `Too many attempts: try again in ${wait} seconds` });
  }
  const bound = getCookie(c, formCookie(signIn)) ?? '';
  if (bound === '' || c.req.header('origin') === undefined || !isSame(form.get('csrf') ?? '', bound)) {
    const code = form.get('code') ?? undefined;
    const problem = 'The form was not sent from this page as it is open now. Send it again';
    return loginPage(c, { signIn, next, status: 403, problem, ...(isCode(code) ? { code } : {}) });
  }
  const opened = openedBy(form, options, signIn);
  if (opened === null) {
    options.log.warn({ auth: 'sign_in_refused', address }, 'a sign-in was refused');
    const isLink = form.get('code') !== null;
    const problem = isLink
      ? 'That link does not open anything: it was used, or it is older than 10 minutes. Make another one'
      : 'That token does not open anything here: it is unknown, revoked or expired';
    return loginPage(c, { signIn, next, status: 401, problem });
  }
  const { browser } = c.get('caller') ?? {};
  if (browser !== undefined) signIn.browsers.end(browser.id);
  deleteCookie(c, formCookie(signIn), attributes(signIn));
  setCookie(c, cookieName(signIn), opened.cookie, { ...attributes(signIn), maxAge: LONGEST_MS / 1000 });
  return c.redirect(next, 303);
}

function openedBy(form: URLSearchParams, { record }: WebOptions, { browsers, tokens }: SignIn): OpenedSession | null {
  const code = form.get('code');
  if (code === null) {
    const verified = tokens.verify((form.get('token') ?? '').trim());
    return verified.ok
      ? browsers.open(verified.credential, { stands: () => tokens.stands(verified.credential.id) })
      : null;
  }
  const person = takeLoginLink(record, code);
  if (person === null) return null;
  const credential: Credential = {
    agent_id: person.agent_id,
    role: 'operator',
    // Nothing is written as a person in a browser; what they decide is signed by the service.
    grants: [{ scope: '**', rights: ['read', 'decide'] }],
    authenticated_by: 'link',
    id: `link-${randomBytes(9).toString('base64url')}`,
  };
  return browsers.open(credential, { stands: () => isOperatorStill(record.repository.index.reader(), person) });
}

async function letGo(c: Context<HttpEnv>, signIn: SignIn): Promise<Response> {
  const form = await readForm(c);
  const { browser } = c.var.caller;
  if (browser === undefined) return c.redirect('/login', 303);
  if (form === null || !isOwnForm(c, form)) {
    const main = html`<p class="warning" role="alert">You are still signed in: the form was not sent from a page of this
session. Open any page and use “Sign out” there.</p>`;
    return renderPage(c, { title: 'Not signed out', main, status: 403 });
  }
  signIn.browsers.end(browser.id);
  deleteCookie(c, cookieName(signIn), attributes(signIn));
  return c.redirect('/login', 303);
}

function attributes({ isSecure }: SignIn) {
  return { httpOnly: true, sameSite: 'Strict', path: '/', secure: isSecure } as const;
}

function formCookie({ isSecure }: SignIn): string {
  return isSecure ? `__Host-${FORM_COOKIE}` : FORM_COOKIE;
}

function isCode(code: string | undefined): code is string {
  return code !== undefined && CODE.test(code);
}

/** A page of ours, never another site: `//host` and `/\host` are addresses of hosts. */
function nextOf(next: string | undefined): string {
  const isOurs = next !== undefined && /^\/(?![/\\])[\x21-\x7e]*$/.test(next) && !/^\/log(in|out)\b/.test(next);
  return isOurs && !next.includes('\\') ? next : '/desk';
}

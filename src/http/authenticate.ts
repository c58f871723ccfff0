/**
 * Who a request comes from, by what it carries and by nothing else: a bearer token, else the cookie of a browser that
 * signed in, else, while no credential was ever made and the server is on loopback, the process's own identity.
 *
 * A failure is logged without the credential and never recorded: whoever is nobody writes nothing.
 */
import { OAuthError, OAuthErrorCode } from '@modelcontextprotocol/server';
import type { Context, MiddlewareHandler } from 'hono';
import { getCookie } from 'hono/cookie';
import type { Logger } from '../mcp/log.ts';
import type { Credential } from '../record/principal.ts';
import type { Session } from '../trail/session.ts';
import type { Tokens } from '../trail/tokens/tokens.ts';
import { forbidden, signInFirst, tooMany, unauthorized, unavailable } from './answers.ts';
import { type Bearer, readBearer } from './bearer.ts';
import type { BrowserLookup, BrowserSession, Caller, HttpEnv } from './caller.ts';
import type { Limits } from './limits.ts';
import { notingEnd } from './noting-end.ts';
import { metadataUrl } from './oauth/metadata.ts';
import type { OAuthVerifier } from './oauth/verifier.ts';
import { type ProxyTrust, peerOf } from './peer.ts';
import type { Sessions } from './sessions.ts';

export interface AuthenticationOptions {
  readonly tokens: Pick<Tokens, 'verify' | 'stands' | 'wereMade'>;
  /** `null`: no issuer is configured. */
  readonly oauth: OAuthVerifier | null;
  readonly sessions: Sessions;
  /** Who everyone is while no credential was ever made. `null` where others than this machine reach the server. */
  readonly anyone: Session | null;
  /** @default no browser can sign in */
  readonly browsers?: BrowserLookup;
  readonly limits: Limits;
  readonly trust: ProxyTrust;
  /** Callers come over HTTPS: the cookie has the prefix that only HTTPS can set. */
  readonly isSecure: boolean;
  /** As in `ResourceMetadata`. */
  readonly publicUrl?: string | undefined;
  readonly log: Logger;
}

/** The cookie of a browser session; RFC 6265bis section 4.1.3.2 on the prefix. */
export function cookieName({ isSecure }: { readonly isSecure: boolean }): string {
  return isSecure ? '__Host-waymark_session' : 'waymark_session';
}

/** What answers without a caller. Everything else, routes that do not exist included, wants one. */
const OPEN = /^\/(?:healthz|readyz|metrics|login|assets\/.*|\.well-known\/.*)$/;

export function isOpen(path: string): boolean {
  return OPEN.test(path);
}

/** Whose request it is, or what it gets instead. `release` is called when it was answered. */
type Found =
  | { readonly kind: 'caller'; readonly caller: Caller; readonly release: () => void }
  | { readonly kind: 'nobody' }
  | { readonly kind: 'answer'; readonly response: Response };

export function authenticate(options: AuthenticationOptions): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    const found = await findCaller(c, options);
    if (found.kind === 'answer') return found.response;
    if (found.kind === 'caller') {
      c.set('caller', found.caller);
      await next();
      return releaseAfter(c, found.release);
    }
    if (!isOpen(c.req.path)) return nobody(c, options);
    const wait = options.limits.anonymous(addressOf(c, options));
    return wait === 0 ? next() : tooMany(c, wait);
  };
}

/** An answer that is a stream is on its way while the call still runs. */
function releaseAfter(c: Context<HttpEnv>, release: () => void): void {
  const { body, headers } = c.res;
  const isStream = body !== null && headers.get('content-type')?.startsWith('text/event-stream') === true;
  if (isStream) c.res = new Response(notingEnd(body, release), c.res);
  else release();
}

/** Where no credential is configured everyone who connects is the process's one identity. */
export function everyoneIs(session: Session): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    c.set('caller', await processCaller(session));
    await next();
  };
}

/** What a body of the caller's costs; for `boundedBodies`. */
export function spendBody(limits: Limits): (c: Context<HttpEnv>, bytes: number) => Response | undefined {
  return (c, bytes) => {
    // The process's own identity has no limit: it is this machine.
    const { caller } = c.var;
    if (caller === undefined || caller.principal.authenticated_by === undefined) return undefined;
    const wait = limits.body(caller.key, bytes);
    return wait === 0 ? undefined : tooMany(c, wait);
  };
}

async function findCaller(c: Context<HttpEnv>, options: AuthenticationOptions): Promise<Found> {
  const header = c.req.header('authorization');
  if (header !== undefined) return ofBearer(c, { options, bearer: await readBearer(header, options) });
  const signedIn = c.req.path === '/mcp' ? null : browserOf(c, options);
  if (signedIn !== null) return asCredential(c, { options, ...signedIn });
  const { anyone, oauth, tokens } = options;
  if (anyone === null || oauth !== null || tokens.wereMade()) return { kind: 'nobody' };
  return { kind: 'caller', caller: await processCaller(anyone), release: () => {} };
}

async function ofBearer(
  c: Context<HttpEnv>,
  { options, bearer }: { readonly options: AuthenticationOptions; readonly bearer: Bearer },
): Promise<Found> {
  if (bearer.kind === 'found') {
    const { credential, opensMcp } = bearer;
    if (c.req.path !== '/mcp' || opensMcp) return asCredential(c, { options, credential });
    const message = `The token of a ${credential.role} does not open MCP unless it was made with --allow-mcp`;
    return { kind: 'answer', response: forbidden(c, message) };
  }
  // An open route answers whoever it is.
  if (isOpen(c.req.path)) return { kind: 'nobody' };
  if (bearer.kind === 'unavailable') {
    options.log.error({ auth: bearer.reason }, 'credentials cannot be verified');
    const { seconds } = bearer;
    return { kind: 'answer', response: unavailable(c, { message: 'The credential cannot be verified now', seconds }) };
  }
  const { error, reason, id } = bearer;
  return { kind: 'answer', response: refused(c, { options, error, reason, id }) };
}

async function asCredential(
  c: Context<HttpEnv>,
  from: { options: AuthenticationOptions; credential: Credential; browser?: BrowserSession },
): Promise<Found> {
  const { options, credential, browser } = from;
  const wait = options.limits.begin(credential.id);
  if (wait > 0) return { kind: 'answer', response: tooMany(c, wait) };
  const { session, release } = options.sessions.lease(credential);
  const { principal } = await session.identity();
  const caller = { session, principal, key: credential.id, ...(browser === undefined ? {} : { browser }) };
  return {
    kind: 'caller',
    caller,
    release: () => {
      options.limits.end(credential.id);
      release();
    },
  };
}

/** A session that rests on a token ends with it. */
function browserOf(c: Context<HttpEnv>, { browsers, isSecure, tokens }: AuthenticationOptions) {
  const cookie = getCookie(c, cookieName({ isSecure }));
  if (cookie === undefined || browsers === undefined) return null;
  const found = browsers.find(cookie);
  if (found === null) return null;
  const { credential, browser } = found;
  if (credential.authenticated_by !== 'token' || tokens.stands(credential.id)) return found;
  browsers.end(browser.id);
  return null;
}

async function processCaller(session: Session): Promise<Caller> {
  const { principal } = await session.identity();
  return { session, principal, key: principal.agent_id };
}

/** A person at a browser is shown the way in; a program is told what it lacks. */
function nobody(c: Context<HttpEnv>, options: AuthenticationOptions): Response {
  const wantsPage = (c.req.header('accept') ?? '').includes('text/html');
  if (c.req.path !== '/mcp' && wantsPage) {
    const wait = options.limits.anonymous(addressOf(c, options));
    return wait === 0 ? signInFirst(c) : tooMany(c, wait);
  }
  const error = new OAuthError(OAuthErrorCode.InvalidToken, 'The request carries no credential');
  return refused(c, { options, error, reason: 'missing' });
}

interface Refusal {
  readonly options: AuthenticationOptions;
  readonly error: OAuthError;
  readonly reason: string;
  readonly id?: string | undefined;
}

function refused(c: Context<HttpEnv>, { options, error, reason, id }: Refusal): Response {
  const address = addressOf(c, options);
  const wait = options.limits.failure(address);
  // Beyond the limit nothing is logged either: a flood must not fill the disk.
  if (wait > 0) return tooMany(c, wait);
  options.log.warn({ auth: reason, address, ...(id === undefined ? {} : { token: id }) }, 'a credential was refused');
  return unauthorized(c, { error, metadataUrl: metadataUrl(c, options.publicUrl) });
}

function addressOf(c: Context<HttpEnv>, { trust }: AuthenticationOptions): string {
  return peerOf(c.req.raw.headers, { incoming: c.env?.incoming, trust }).address;
}

/** What a request gets that reaches no route. None of them says whether what was asked for exists. */
import { bearerAuthChallengeResponse, type OAuthError } from '@modelcontextprotocol/server';
import type { Context } from 'hono';
import type { HttpEnv } from './caller.ts';

const CHALLENGE = 'WWW-Authenticate';

interface Problem {
  readonly code: string;
  readonly message: string;
  readonly next: string;
}

export interface UnauthorizedOptions {
  readonly error: OAuthError;
  /** Of RFC 9728, so that a client finds out how to get in. */
  readonly metadataUrl: string;
}

/** 401 or, of a token that lacks scope, 403, with the challenge of RFC 6750 section 3. */
export function unauthorized(c: Context<HttpEnv>, { error, metadataUrl }: UnauthorizedOptions): Response {
  const { status, headers } = bearerAuthChallengeResponse(error, { resourceMetadataUrl: metadataUrl });
  c.header(CHALLENGE, headers.get(CHALLENGE) ?? 'Bearer');
  if (status === 403) return c.json(problem(forbiddenFacts(error.message)), 403);
  const next =
    'Send "Authorization: Bearer" with a token of this server; an operator makes one with "waymark token create"';
  return c.json(problem({ code: 'unauthorized', message: error.message, next }), 401);
}

/** A page is answered with the way to sign in, and back. */
export function signInFirst(c: Context<HttpEnv>): Response {
  const { pathname, search } = new URL(c.req.raw.url);
  const isReading = c.req.method === 'GET' || c.req.method === 'HEAD';
  const next = isReading && !pathname.startsWith('//') ? `?next=${encodeURIComponent(`${pathname}${search}`)}` : '';
  return c.redirect(`/login${next}`, 303);
}

export function forbidden(c: Context<HttpEnv>, message: string): Response {
  return c.json(problem(forbiddenFacts(message)), 403);
}

function forbiddenFacts(message: string): Problem {
  return { code: 'forbidden', message, next: 'Use a credential that is for this, or ask whoever issued yours' };
}

/** @param seconds After which trying again makes sense. */
export function tooMany(c: Context<HttpEnv>, seconds: number): Response {
  c.header('Retry-After', String(seconds));
  const message = 'Too many requests from this caller';
  return c.json(problem({ code: 'rate_limited', message, next: `Try again in ${seconds} s` }), 429);
}

/** @param seconds After which trying again makes sense. */
export function unavailable(
  c: Context<HttpEnv>,
  options: { readonly message: string; readonly seconds: number },
): Response {
  const { message, seconds } = options;
  c.header('Retry-After', String(seconds));
  return c.json(
    problem({ code: 'unavailable', message, next: `Try again in ${seconds} s; the log names the fault` }),
    503,
  );
}

function problem(facts: Problem) {
  return { status: 'error', ...facts };
}

/**
 * Request targets that are refused before anything reads them: a URL parser resolves encoded dots and keeps encoded
 * slashes, so what a proxy checked and what a route sees would differ.
 */
import type { MiddlewareHandler } from 'hono';
import type { HttpEnv } from './caller.ts';

/** Bytes of path and query. */
export const MAX_TARGET = 8 * 1024;

/** Encoded dot, slash, backslash, and control characters. */
const DISGUISED = /%(?:2e|2f|5c|[01][0-9a-f]|7f)/i;

/** Answers 400. */
export function requestTargetGuard(): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    const { pathname, search } = new URL(c.req.raw.url);
    const problem = targetProblem(c.env?.incoming?.url ?? `${pathname}${search}`);
    if (problem === undefined) return next();
    return c.json(
      { status: 'error', code: 'invalid', message: problem, next: 'Use a link of a page, as it stands' },
      400,
    );
  };
}

/** Why a target as on the request line is refused, or `undefined`. */
export function targetProblem(target: string): string | undefined {
  if (target.length > MAX_TARGET) return `URL has ${target.length} characters, the limit is ${MAX_TARGET}`;
  const [path = '', query = ''] = target.split(/\?(.*)/s, 2);
  // Two slashes would name another host once somebody is sent there.
  if (!/^\/(?!\/)/.test(path)) return 'Request target is not a path';
  if (DISGUISED.test(path) || /[\\\0-\x20\x7f]/.test(path))
    return 'Path holds encoded dots, slashes or control characters';
  if (path.split('/').some((segment) => segment === '..' || segment === '.')) return 'Path holds dot segments';
  if (!isDecodable(path)) return 'Path is not percent-encoded UTF-8';
  if (/%00|\0/.test(query)) return 'Query holds a NUL';
  return undefined;
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

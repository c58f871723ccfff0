/** One line of the log and one count for each request, by what it was answered: never a path, a query, a header or a body. */
import { randomBytes } from 'node:crypto';
import type { MiddlewareHandler } from 'hono';
import { routePath } from 'hono/route';
import { type Logger, REQUEST_ID } from '../mcp/log.ts';
import type { HttpEnv } from './caller.ts';
import type { Metrics } from './metrics.ts';

export interface RequestLogOptions {
  readonly log: Logger;
  readonly metrics?: Pick<Metrics, 'request'> | undefined;
}

/** First of all, so that what the guards refuse is counted too. */
export function requestLog({ log, metrics }: RequestLogOptions): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    const started = performance.now();
    const id = randomBytes(8).toString('hex');
    c.req.raw.headers.set(REQUEST_ID, id);
    await next();
    c.header(REQUEST_ID, id);
    const ms = performance.now() - started;
    // The pattern, as `/t/:id`: a path names thoughts.
    const matched = routePath(c, -1);
    const route = matched === '/*' || matched === '*' ? 'none' : matched;
    const { status } = c.res;
    metrics?.request({ route, status, ms });
    const principal: string | undefined = c.var.caller?.key;
    const who = principal === undefined ? {} : { principal };
    log.info({ request: id, route, method: c.req.method, status, ms: Math.round(ms), ...who });
  };
}

/** What a supervisor asks of the service, and how it stops: `/readyz`, `/metrics`, and 503 to whatever comes too late. */
import type { Context, Hono, MiddlewareHandler } from 'hono';
import type { Caller, HttpEnv } from './caller.ts';
import { isLocal } from './local-peer.ts';
import type { Metrics } from './metrics.ts';
import { notReady, type ReadyService } from './ready.ts';

export interface ServiceRoutes {
  /** @default no such route */
  readonly ready?: ReadyService | undefined;
  /** @default no such route */
  readonly metrics?: Metrics | undefined;
  readonly isStopping: () => boolean;
}

/** Both are about the whole record, so they are for this machine and for operators who read all of it; to others they are 404. */
export function addServiceRoutes(app: Hono<HttpEnv>, { ready, metrics, isStopping }: ServiceRoutes): void {
  if (ready !== undefined) {
    app.get('/readyz', async (c) => {
      if (!mayWatch(c)) return c.notFound();
      const answer = isStopping() ? notReady('stopping') : await ready.answer();
      return c.json(answer, answer.status === 'ready' ? 200 : 503);
    });
  }
  if (metrics !== undefined) {
    app.get('/metrics', async (c) => {
      if (!mayWatch(c)) return c.notFound();
      return c.body(await metrics.render(), 200, { 'Content-Type': metrics.contentType });
    });
  }
}

function mayWatch(c: Context<HttpEnv>): boolean {
  if (isLocal(c)) return true;
  // Where nothing authenticates there is no caller.
  const caller: Caller | undefined = c.var.caller;
  if (caller?.principal.role !== 'operator') return false;
  const { grants } = caller.principal;
  return grants === undefined || grants.some(({ scope, rights }) => scope === '**' && rights.includes('read'));
}

/** Still answered while the service stops: whoever watches is told so. */
const WATCHED = new Set(['/healthz', '/readyz', '/metrics']);

/**
 * Refuses what comes on a connection that was open before the service began to stop, and ends each such connection with
 * its answer: clients that never pause would keep it running for ever.
 */
export function refuseWhenStopping(isStopping: () => boolean): MiddlewareHandler {
  return async (c, next) => {
    if (isStopping() && !WATCHED.has(c.req.path)) {
      const message = 'The server is stopping; this request was not begun';
      c.header('Retry-After', '1');
      c.header('Connection', 'close');
      return c.json({ status: 'error', code: 'stopping', message, next: 'Send it again in a moment' }, 503);
    }
    await next();
    if (isStopping()) c.header('Connection', 'close');
  };
}

/** Says back which trace a request was taken into: a client then sees that its header arrived well-formed. */
import type { MiddlewareHandler } from 'hono';
import { headerCarrier, traceContextOf } from '../mcp/trace-context.ts';

export function traceHeaders(): MiddlewareHandler {
  return async (c, next) => {
    await next();
    const trace = traceContextOf(headerCarrier(c.req.raw.headers));
    if (trace === null) return;
    c.header('traceparent', trace.traceparent);
    if (trace.tracestate !== undefined) c.header('tracestate', trace.tracestate);
  };
}

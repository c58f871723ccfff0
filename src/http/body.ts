/** Bodies of bounded size. */
import type { Context, MiddlewareHandler } from 'hono';
import type { HttpEnv } from './caller.ts';

/** 8 MiB: content of 960 KiB, escaped as JSON at its worst, fits. */
export const BODY_LIMIT = 8 * 1024 * 1024;
/** Of a request that nobody vouches for: a sign-in form. */
export const ANONYMOUS_BODY_LIMIT = 64 * 1024;
/** More than this is not drained: the connection ends instead. */
const DRAIN_LIMIT = 8 * BODY_LIMIT;

export interface BoundedBodiesOptions {
  /** Bytes the request may bring. */
  readonly limitOf: (c: Context<HttpEnv>) => number;
  /** Told the size of a body within the limit; what it answers is answered instead of the route. @default nothing */
  readonly spend?: ((c: Context<HttpEnv>, bytes: number) => Response | undefined) | undefined;
}

/**
 * Reads the body of every request that has one before its route does, so that no route can forget to; over the limit
 * answers 413. What a header says of the size is not believed.
 */
export function boundedBodies({ limitOf, spend }: BoundedBodiesOptions): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    const { raw } = c.req;
    if (raw.method === 'GET' || raw.method === 'HEAD' || raw.body === null) return next();
    const limit = limitOf(c);
    const body = await readBounded(raw, limit);
    if (body === undefined) return tooLarge(c, limit);
    const refused = spend?.(c, body.byteLength);
    if (refused !== undefined) return refused;
    const { method, headers, signal } = raw;
    c.req.raw = new Request(raw.url, { method, headers, signal, body });
    return next();
  };
}

/**
 * The whole body, or `undefined` when it is over `limit` bytes.
 *
 * An oversized body is read to its end and thrown away, since a client that is still sending would see a broken
 * connection instead of the 413.
 */
export async function readBounded(
  request: Request,
  limit: number = BODY_LIMIT,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (request.body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = request.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.byteLength;
    if (size <= limit) chunks.push(value);
    else chunks.length = 0;
    if (size > DRAIN_LIMIT) {
      await reader.cancel();
      break;
    }
  }
  return size <= limit ? Uint8Array.from(Buffer.concat(chunks)) : undefined;
}

function tooLarge(c: Context, limit: number): Response {
  const message = `Body is over the limit of ${limit} bytes: split the content`;
  // A JSON-RPC client reads the error of its protocol.
  if (c.req.path === '/mcp') return c.json({ jsonrpc: '2.0', error: { code: -32_000, message }, id: null }, 413);
  return c.json({ status: 'error', code: 'invalid', message, next: 'Send less at once' }, 413);
}

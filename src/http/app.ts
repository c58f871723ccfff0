/**
 * The HTTP door: `POST /mcp`, `GET /healthz`, `GET /`.
 *
 * Every request, those without a route included, passes the Host and Origin check first; every response carries the
 * same security headers.
 */
import { createMcpHandler } from '@modelcontextprotocol/server';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { secureHeaders } from 'hono/secure-headers';
import { faultFacts } from '../mcp/log.ts';
import type { ServerFactory } from '../mcp/server-factory.ts';
import { BODY_LIMIT, readBounded } from './body.ts';
import type { HttpEnv } from './caller.ts';
import { type AllowedHostsOptions, hostAndOriginGuard } from './guard.ts';
import { renderStatusPage, STYLE_SOURCE, type StatusPage } from './status-page.ts';
import { errorPage, wantsPage } from './web/error-page.ts';
import { addPages } from './web/pages.ts';
import type { WebOptions } from './web/web.ts';

export interface HttpAppOptions extends AllowedHostsOptions {
  /** From `createServerFactory`. */
  readonly mcp: ServerFactory;
  /** Sets `caller`, or answers instead of the route. @default every route is anybody's */
  readonly authenticate?: MiddlewareHandler<HttpEnv>;
  /** The reader and the desk. @default the status page alone */
  readonly web?: WebOptions;
  /** For the page; may read the record, may throw. */
  readonly status: () => Promise<StatusPage>;
  /** For `/healthz`; must be cheap. A throw counts as `false`. @default always healthy */
  readonly healthy?: () => boolean | Promise<boolean>;
  readonly version: string;
}

export interface HttpApp {
  readonly app: Hono<HttpEnv>;
  /** Ends subscription streams and whatever still runs in them; call it when the running calls have settled. */
  close(): Promise<void>;
}

export function createHttpApp(options: HttpAppOptions): HttpApp {
  const { mcp, status, version } = options;
  const healthy = options.healthy ?? (() => true);
  const endpoint = `http://${options.allowedHosts[0] ?? '127.0.0.1'}:${options.port}/mcp`;
  const handler = createMcpHandler(mcp.create, { onerror: (error) => mcp.log.warn(faultFacts(error)) });
  const app = new Hono<HttpEnv>();

  app.use(
    secureHeaders({
      contentSecurityPolicy: {
        defaultSrc: ["'none'"],
        styleSrc: [STYLE_SOURCE],
        baseUri: ["'none'"],
        formAction: ["'none'"],
        frameAncestors: ["'none'"],
      },
      xFrameOptions: 'DENY',
      // Loopback speaks plain HTTP.
      strictTransportSecurity: false,
    }),
  );
  app.use(async (c, next) => {
    await next();
    if (!c.res.headers.has('Cache-Control')) c.header('Cache-Control', 'no-store');
  });
  app.use(hostAndOriginGuard(options));
  if (options.authenticate !== undefined) app.use(options.authenticate);
  const pages = options.web === undefined ? null : addPages(app, options.web);

  app.all('/mcp', async (c) => {
    const { raw } = c.req;
    if (raw.method !== 'POST') return handler.fetch(raw);
    const body = await readBounded(raw);
    if (body === undefined) return tooLarge(c);
    const { method, headers, signal } = raw;
    return handler.fetch(new Request(raw.url, { method, headers, signal, body }));
  });
  app.get('/healthz', async (c) => {
    const isHealthy = await attempt(async () => healthy());
    return isHealthy === true ? c.json({ status: 'ok' }) : c.json({ status: 'unavailable' }, 503);
  });
  app.get('/', async (c) => {
    const facts = await attempt(status, (fault) => mcp.log.error({ page: 'status', ...faultFacts(fault) }));
    return c.html(await renderStatusPage({ status: facts, version, endpoint }), facts === undefined ? 503 : 200);
  });
  app.notFound((c) =>
    wantsPage(c) && options.web !== undefined
      ? errorPage(c, 404)
      : c.json({ status: 'error', code: 'not_found', message: 'No such page', next: `MCP is at ${endpoint}` }, 404),
  );
  app.onError((fault, c) => {
    mcp.log.error(faultFacts(fault));
    if (wantsPage(c) && options.web !== undefined) return errorPage(c, 500);
    return c.json({ status: 'error', code: 'internal', message: 'The request failed', next: 'Try again' }, 500);
  });
  return {
    app,
    close() {
      pages?.close();
      return handler.close();
    },
  };
}

function tooLarge(c: Context): Response {
  const error = { code: -32_000, message: `Body is over the limit of ${BODY_LIMIT} bytes: split the content` };
  return c.json({ jsonrpc: '2.0', error, id: null }, 413);
}

async function attempt<T>(work: () => Promise<T>, report?: (fault: unknown) => void): Promise<T | undefined> {
  try {
    return await work();
  } catch (fault) {
    report?.(fault);
    return undefined;
  }
}

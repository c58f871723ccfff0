/**
 * The HTTP door: `POST /mcp`, `GET /healthz`, `GET /readyz`, `GET /metrics`, `GET /`.
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
import type { Caller, HttpEnv } from './caller.ts';
import { type AllowedHostsOptions, hostAndOriginGuard } from './guard.ts';
import { legacySessions } from './legacy-sessions.ts';
import type { Metrics } from './metrics.ts';
import type { ReadyService } from './ready.ts';
import { requestLog } from './request-log.ts';
import { addServiceRoutes, refuseWhenStopping } from './service-routes.ts';
import { renderStatusPage, STYLE_SOURCE, type StatusPage } from './status-page.ts';
import { traceHeaders } from './trace-headers.ts';
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
  /** For `/readyz`. @default no such route */
  readonly ready?: ReadyService;
  /** For `/metrics`, and told of every request. @default no such route */
  readonly metrics?: Metrics;
  readonly version: string;
}

export interface HttpApp {
  readonly app: Hono<HttpEnv>;
  /** From now on `/readyz` says `stopping` and what is not begun is refused with 503. */
  stop(): void;
  /** Ends subscription streams and whatever still runs in them; call it when the running calls have settled. */
  close(): Promise<void>;
}

export function createHttpApp(options: HttpAppOptions): HttpApp {
  const { mcp, status, version } = options;
  const healthy = options.healthy ?? (() => true);
  const endpoint = `http://${options.allowedHosts[0] ?? '127.0.0.1'}:${options.port}/mcp`;
  const handler = createMcpHandler(mcp.create, { onerror: (error) => mcp.log.warn(faultFacts(error)) });
  const sessions = legacySessions({ create: mcp.create });
  const app = new Hono<HttpEnv>();
  let stopping = false;
  const isStopping = () => stopping;

  app.use(requestLog({ log: mcp.log, metrics: options.metrics }));
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
    c.header('Cache-Control', 'no-store');
  });
  app.use(hostAndOriginGuard(options));
  app.use(refuseWhenStopping(isStopping), traceHeaders());
  if (options.authenticate !== undefined) app.use(options.authenticate);
  if (options.web !== undefined) addPages(app, options.web);

  app.all('/mcp', async (c) => {
    const { raw } = c.req;
    // Where nothing authenticates there is no caller.
    const caller: Caller | undefined = c.var.caller;
    const owner = caller?.key ?? '';
    if (raw.method !== 'POST') return (await sessions.answer({ request: raw, owner })) ?? handler.fetch(raw);
    const body = await readBounded(raw);
    if (body === undefined) return tooLarge(c);
    const { method, headers, signal } = raw;
    const request = new Request(raw.url, { method, headers, signal, body });
    return (await sessions.answer({ request, body, owner })) ?? handler.fetch(request);
  });
  app.get('/healthz', async (c) => {
    const isHealthy = await attempt(async () => healthy());
    return isHealthy === true ? c.json({ status: 'ok' }) : c.json({ status: 'unavailable' }, 503);
  });
  addServiceRoutes(app, { ready: options.ready, metrics: options.metrics, isStopping });
  app.get('/', async (c) => {
    const facts = await attempt(status, (fault) => mcp.log.error({ page: 'status', ...faultFacts(fault) }));
    return c.html(await renderStatusPage({ status: facts, version, endpoint }), facts === undefined ? 503 : 200);
  });
  app.notFound((c) =>
    c.json({ status: 'error', code: 'not_found', message: 'No such page', next: `MCP is at ${endpoint}` }, 404),
  );
  app.onError((fault, c) => {
    mcp.log.error(faultFacts(fault));
    return c.json({ status: 'error', code: 'internal', message: 'The request failed', next: 'Try again' }, 500);
  });
  return {
    app,
    stop() {
      stopping = true;
    },
    async close() {
      await Promise.all([sessions.close(), handler.close()]);
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

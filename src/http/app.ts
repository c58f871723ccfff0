/**
 * The HTTP door: MCP, health, readiness, metrics, pages.
 *
 * Every request, those without a route included, passes the same checks in the same order before anything is routed:
 * its target, Host and Origin, who it comes from and how much they ask for, its body. Every response carries the same
 * security headers.
 */
import { createMcpHandler } from '@modelcontextprotocol/server';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { secureHeaders } from 'hono/secure-headers';
import { faultFacts } from '../mcp/log.ts';
import type { ServerFactory } from '../mcp/server-factory.ts';
import { ANONYMOUS_BODY_LIMIT, BODY_LIMIT, boundedBodies } from './body.ts';
import type { HttpEnv } from './caller.ts';
import { type AllowedHostsOptions, hostAndOriginGuard } from './guard.ts';
import { legacySessions } from './legacy-sessions.ts';
import { authInfoOf } from './mcp-caller.ts';
import type { Metrics } from './metrics.ts';
import { addMetadata, type ResourceMetadata } from './oauth/metadata.ts';
import type { ReadyService } from './ready.ts';
import { requestLog } from './request-log.ts';
import { requestTargetGuard } from './request-target.ts';
import { addServiceRoutes, refuseWhenStopping } from './service-routes.ts';
import { renderStatusPage, STYLE_SOURCE, type StatusPage } from './status-page.ts';
import { traceHeaders } from './trace-headers.ts';
import { errorPage, wantsPage } from './web/error-page.ts';
import { addPages } from './web/pages.ts';
import type { WebOptions } from './web/web.ts';

export interface HttpAppOptions extends AllowedHostsOptions {
  /** From `createServerFactory`. */
  readonly mcp: ServerFactory;
  /** Sets `caller`, or answers instead of the route. @default every route is anybody's */
  readonly authenticate?: MiddlewareHandler<HttpEnv>;
  /** What a body costs its caller. @default nothing */
  readonly spendBody?: (c: Context<HttpEnv>, bytes: number) => Response | undefined;
  /** Told to whoever lacks a credential. @default no such document */
  readonly metadata?: ResourceMetadata;
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
  const endpoint = endpointOf(options);
  const handler = createMcpHandler(mcp.create, {
    onerror: (error) => mcp.log.warn(faultFacts(error)),
    maxRequestBodySize: BODY_LIMIT,
  });
  const sessions = legacySessions({ create: mcp.create });
  const app = new Hono<HttpEnv>();
  let stopping = false;
  const isStopping = () => stopping;

  app.use(requestLog({ log: mcp.log, metrics: options.metrics }));
  app.use(secureHeaders(securityHeaders(options)));
  app.use(async (c, next) => {
    await next();
    if (!c.res.headers.has('Cache-Control')) c.header('Cache-Control', 'no-store');
  });
  app.use(requestTargetGuard());
  app.use(hostAndOriginGuard(options));
  app.use(refuseWhenStopping(isStopping), traceHeaders());
  if (options.authenticate !== undefined) app.use(options.authenticate);
  const isAnonymous = (c: Context<HttpEnv>) => options.authenticate !== undefined && c.var.caller === undefined;
  app.use(
    boundedBodies({
      limitOf: (c) => (isAnonymous(c) ? ANONYMOUS_BODY_LIMIT : BODY_LIMIT),
      spend: options.spendBody,
    }),
  );
  if (options.metadata !== undefined) addMetadata(app, options.metadata);
  const pages = options.web === undefined ? null : addPages(app, options.web);

  app.all('/mcp', async (c) => {
    const { caller } = c.var;
    const { raw } = c.req;
    const auth = caller === undefined ? {} : { authInfo: authInfoOf(caller) };
    const inSession = await sessions.answer({ request: raw, owner: caller?.key ?? '', ...auth });
    return inSession ?? handler.fetch(raw, auth);
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
    stop() {
      stopping = true;
    },
    async close() {
      pages?.close();
      await Promise.all([sessions.close(), handler.close()]);
    },
  };
}

/** Where callers reach MCP. */
export function endpointOf({ allowedHosts, allowedNames = [], port, publicUrl }: AllowedHostsOptions): string {
  const [name] = allowedNames;
  const named = name === undefined || /:\d+$/.test(name) ? name : `${name}:${port}`;
  return `${publicUrl ?? `http://${named ?? `${allowedHosts[0] ?? '127.0.0.1'}:${port}`}`}/mcp`;
}

/** One year: what browsers want before they keep it for good. */
const HSTS = 'max-age=31536000';

function securityHeaders({ publicUrl, web }: HttpAppOptions): Parameters<typeof secureHeaders>[0] {
  return {
    contentSecurityPolicy: {
      defaultSrc: ["'none'"],
      // The status page, which is there without other pages, has its style in itself.
      styleSrc: [web === undefined ? STYLE_SOURCE : "'self'"],
      scriptSrc: ["'self'"],
      imgSrc: ["'self'", 'data:'],
      connectSrc: ["'self'"],
      formAction: ["'self'"],
      baseUri: ["'none'"],
      frameAncestors: ["'none'"],
    },
    permissionsPolicy: { camera: [], geolocation: [], microphone: [], payment: [], usb: [] },
    // With "no-referrer" browsers send "Origin: null" with our own forms, and nothing could be told of them.
    referrerPolicy: 'same-origin',
    xFrameOptions: 'DENY',
    // Loopback speaks plain HTTP, and a name that others share must not be pinned to HTTPS by us.
    strictTransportSecurity: publicUrl?.startsWith('https:') === true ? HSTS : false,
  };
}

async function attempt<T>(work: () => Promise<T>, report?: (fault: unknown) => void): Promise<T | undefined> {
  try {
    return await work();
  } catch (fault) {
    report?.(fault);
    return undefined;
  }
}

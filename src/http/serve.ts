/** Listening, and closing without cutting a call off. */
import { createServer, type Server } from 'node:http';
import { type AddressInfo, isIP } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Outcome, Refusal } from '../record/outcome.ts';
import { ok, refuse } from '../record/outcome.ts';
import { quote } from '../record/quote.ts';
import { createHttpApp, endpointOf, type HttpAppOptions } from './app.ts';
import { LOOPBACK_HOSTS } from './guard.ts';
import type { WebOptions } from './web/web.ts';

export interface ServeHttpOptions extends Omit<HttpAppOptions, 'allowedHosts' | 'port' | 'web'> {
  /** Name or address to listen on; other than loopback only where callers need a credential and have a name to use. */
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  /** Nobody is let in without a credential. @default false */
  readonly needsCredential?: boolean;
  /** The pages; they are told the endpoint when it is known. @default the status page alone */
  readonly web?: Omit<WebOptions, 'endpoint'>;
  /** Connections at once; more are closed. @default 1024 */
  readonly maxConnections?: number;
  /** @default DEFAULT_TIMEOUTS */
  readonly timeouts?: Partial<ServeTimeouts>;
}

/** Milliseconds in which a client must have sent what it sends. An answer may take as long as it takes. */
export interface ServeTimeouts {
  readonly headers: number;
  /** Headers and body. */
  readonly request: number;
  /** Between two requests. */
  readonly keepAlive: number;
  /** How often the two are looked after. */
  readonly check: number;
}

export const DEFAULT_TIMEOUTS: ServeTimeouts = { headers: 10_000, request: 60_000, keepAlive: 10_000, check: 1_000 };
const MAX_CONNECTIONS = 1_024;

export interface HttpService {
  /** Address of the MCP endpoint. */
  readonly endpoint: string;
  readonly port: number;
  /** Says so to whoever watches, takes no more connections, finishes the running calls, then closes. */
  close(): Promise<void>;
}

const READ_GRACE_MS = 1_000;
const WRITE_GRACE_MS = 15_000;
/** Responses that are on their way out. */
const FLUSH_GRACE_MS = 500;

/** Refuses a host that others reach while they would all be one identity, or have no name; and a port that is taken. */
export async function serveHttp(options: ServeHttpOptions): Promise<Outcome<HttpService>> {
  const unsafe = bindRefusal(options);
  if (unsafe !== null) return unsafe;
  const { host, timeouts, web, maxConnections = MAX_CONNECTIONS } = options;
  const { headers, request, keepAlive, check } = { ...DEFAULT_TIMEOUTS, ...timeouts };
  const server = createServer({
    headersTimeout: headers,
    requestTimeout: request,
    keepAliveTimeout: keepAlive,
    connectionsCheckingInterval: check,
  });
  server.maxConnections = maxConnections;
  const failure = await listen(server, { host, port: options.port });
  if (failure !== undefined) return listenRefusal(failure, options);

  const port = boundPort(server.address());
  const reach = { ...options, allowedHosts: hostsOf(host), port };
  const endpoint = endpointOf(reach);
  const { web: _, ...bare } = reach;
  const http = createHttpApp(web === undefined ? bare : { ...bare, web: { ...web, endpoint } });
  const { app, stop, close: closeApp } = http;
  const listener = getRequestListener(app.fetch, {
    overrideGlobalObjects: false,
    // A Host header that makes no URL never reaches the app, so it is answered as a missing one is.
    errorHandler: () => app.request('/'),
  });
  server.on('request', (request, response) => void listener(request, response));

  return ok({
    endpoint,
    port,
    async close() {
      stop();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await options.mcp.calls.settled({ readMs: READ_GRACE_MS, writeMs: WRITE_GRACE_MS });
      const cut = setTimeout(() => server.closeAllConnections(), FLUSH_GRACE_MS);
      // The answer of the last call leaves before the streams are ended.
      await new Promise((resolve) => setImmediate(resolve));
      await closeApp();
      server.closeIdleConnections();
      await closed;
      clearTimeout(cut);
    },
  });
}

/** Whether only this machine reaches it. */
export function isLoopbackHost(host: string): boolean {
  return host === '127.0.0.1' || host === '::1' || host === 'localhost';
}

function bindRefusal({
  host,
  needsCredential = false,
  publicUrl,
  allowedNames = [],
}: ServeHttpOptions): Refusal | null {
  if (isLoopbackHost(host)) return null;
  const message = `Host ${quote(host)} is not a loopback address`;
  if (!needsCredential) {
    return refuse('invalid', `${message}, and without credentials everyone who connects would be one identity`, {
      field: 'host',
      next: 'Use 127.0.0.1, ::1 or localhost; or first let callers in by name: "waymark token create --agent ID --role agent --grant SCOPE:read,write" (docs/serving.md)',
    });
  }
  if (publicUrl !== undefined || allowedNames.length > 0) return null;
  return refuse('invalid', `${message}, and no name is known by which callers reach it`, {
    field: 'host',
    next: 'Set "public_url" below "serve" in waymark/config.yaml of your configuration folder, or add --allow-host NAME (docs/serving.md)',
  });
}

/** This machine's own names always, since a check of its health asks by them; and the address it listens on. */
function hostsOf(host: string): readonly string[] {
  const name = isIP(host) === 6 ? `[${host}]` : host;
  const isEverywhere = host === '0.0.0.0' || host === '::';
  return [...(isEverywhere ? [] : [name]), ...LOOPBACK_HOSTS.filter((loopback) => loopback !== name)];
}

async function listen(
  server: Server,
  at: { readonly host: string; readonly port: number },
): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    server.once('error', resolve);
    server.listen(at, () => {
      server.off('error', resolve);
      resolve(undefined);
    });
  });
}

function listenRefusal(failure: NodeJS.ErrnoException, at: { readonly host: string; readonly port: number }) {
  const code = failure.code ?? failure.name;
  const taken = code === 'EADDRINUSE';
  const message = taken
    ? `Port ${at.port} on ${at.host} is in use by another process`
    : `Port ${at.port} on ${at.host} cannot be listened on: ${code}`;
  return refuse(taken ? 'busy' : 'invalid', message, {
    field: 'port',
    next: taken ? 'Stop that process or choose another port with --port' : 'Choose another port with --port',
  });
}

function boundPort(address: string | AddressInfo | null): number {
  // A TCP server that listens has an AddressInfo.
  if (address === null || typeof address === 'string') throw new Error('Server has no TCP address');
  return address.port;
}

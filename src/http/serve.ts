/** Listening on loopback, and closing without cutting a call off. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Outcome } from '../record/outcome.ts';
import { ok, refuse } from '../record/outcome.ts';
import { createHttpApp, type HttpAppOptions } from './app.ts';
import { LOOPBACK_HOSTS } from './guard.ts';

export interface ServeHttpOptions extends Omit<HttpAppOptions, 'allowedHosts' | 'port'> {
  /** `127.0.0.1`, `::1` or `localhost`; any other is refused. */
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
}

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

/** Serves on loopback. Refuses any other host, and a port that is taken. */
export async function serveHttp(options: ServeHttpOptions): Promise<Outcome<HttpService>> {
  const { host } = options;
  if (host !== '127.0.0.1' && host !== '::1' && host !== 'localhost') {
    return refuse('invalid', `Host ${JSON.stringify(host)} is not a loopback address`, {
      field: 'host',
      next: 'Use 127.0.0.1, ::1 or localhost: one endpoint is one identity, so it is not offered to a network',
    });
  }
  const server = createServer();
  const failure = await listen(server, { host, port: options.port });
  if (failure !== undefined) return listenRefusal(failure, options);

  const port = boundPort(server.address());
  const name = host === '::1' ? '[::1]' : host;
  const allowedHosts = [name, ...LOOPBACK_HOSTS.filter((loopback) => loopback !== name)];
  const { app, stop, close: closeApp } = createHttpApp({ ...options, allowedHosts, port });
  const listener = getRequestListener(app.fetch, {
    overrideGlobalObjects: false,
    // A Host header that makes no URL never reaches the app, so it is answered as a missing one is.
    errorHandler: () => app.request('/'),
  });
  server.on('request', (request, response) => void listener(request, response));

  return ok({
    endpoint: `http://${name}:${port}/mcp`,
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

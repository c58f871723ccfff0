/**
 * Host and Origin against DNS rebinding: a web page that resolves its own name to 127.0.0.1 reaches this port, but
 * cannot forge these two headers (cases.md B70).
 */
import type { MiddlewareHandler } from 'hono';
import type { HttpEnv } from './caller.ts';
import { type Peer, type ProxyTrust, peerOf, proxyTrust } from './peer.ts';

export interface AllowedHostsOptions {
  /** Host names as they stand in a URL, e.g. `[::1]`, reached over plain HTTP on `port`. */
  readonly allowedHosts: readonly string[];
  readonly port: number;
  /** Names that callers use beside them, with or without a port, over HTTP or HTTPS. @default none */
  readonly allowedNames?: readonly string[];
  /** The address behind a proxy, as `https://waymark.example`. @default none */
  readonly publicUrl?: string | undefined;
  /** Whose `X-Forwarded-*` headers count. @default nobody's */
  readonly trustedProxies?: readonly string[];
}

export const LOOPBACK_HOSTS = ['127.0.0.1', 'localhost', '[::1]'] as const;

/** Refuses with 403 whatever does not name us; runs before routing, so that no route can be forgotten. */
export function hostAndOriginGuard(options: AllowedHostsOptions): MiddlewareHandler<HttpEnv> {
  const trust = proxyTrust(options.trustedProxies ?? []);
  const names = namesOf(options);
  return async (c, next) => {
    const { headers } = c.req.raw;
    const problem = problemOf(headers, { names, peer: peerOf(headers, { incoming: c.env?.incoming, trust }) });
    if (problem === undefined) return next();
    return c.json({ status: 'error', code: 'forbidden', message: problem, next: nextStep(options) }, 403);
  };
}

/** Why the headers are refused, or `undefined`. A missing Origin is fine: only browsers send one. */
export function refusalOf(headers: Headers, options: AllowedHostsOptions): string | undefined {
  const trust: ProxyTrust = proxyTrust([]);
  return problemOf(headers, { names: namesOf(options), peer: peerOf(headers, { incoming: undefined, trust }) });
}

interface Names {
  /** Values of a `Host` header. */
  readonly hosts: ReadonlySet<string>;
  readonly origins: ReadonlySet<string>;
}

function problemOf(headers: Headers, { names, peer }: { names: Names; peer: Peer }): string | undefined {
  if (peer.host === undefined || !names.hosts.has(peer.host)) return 'Host header does not name this server';
  const origin = headers.get('origin')?.toLowerCase();
  if (origin === undefined || names.origins.has(origin)) return undefined;
  return 'Origin header names another site';
}

function namesOf({ allowedHosts, port, allowedNames = [], publicUrl }: AllowedHostsOptions): Names {
  const plain = allowedHosts.flatMap((host) => authoritiesOf(host, port));
  const given = allowedNames.flatMap((name) => {
    const host = name.toLowerCase();
    return /:\d+$/.test(host) ? [host] : [host, `${host}:${port}`];
  });
  const hosts = new Set([...plain, ...given]);
  const origins = new Set([
    ...plain.map((authority) => `http://${authority}`),
    ...given.flatMap((authority) => [`http://${authority}`, `https://${authority}`]),
  ]);
  if (publicUrl !== undefined) {
    const { host, hostname, origin, protocol } = new URL(publicUrl);
    hosts.add(host);
    // Some clients write the port that the scheme implies.
    if (host === hostname) hosts.add(`${host}:${protocol === 'https:' ? 443 : 80}`);
    origins.add(origin);
  }
  return { hosts, origins };
}

function authoritiesOf(host: string, port: number): readonly string[] {
  const name = host.toLowerCase();
  return port === 80 ? [name, `${name}:80`] : [`${name}:${port}`];
}

function nextStep(options: AllowedHostsOptions): string {
  const address = options.publicUrl ?? `http://${options.allowedHosts[0] ?? '127.0.0.1'}:${options.port}`;
  return `Use ${address} and send no foreign Origin`;
}

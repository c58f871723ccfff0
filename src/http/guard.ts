/**
 * Host and Origin against DNS rebinding: a web page that resolves its own name to 127.0.0.1 reaches this port, but
 * cannot forge these two headers (cases.md B70).
 */
import type { MiddlewareHandler } from 'hono';

export interface AllowedHostsOptions {
  /** Host names as they stand in a URL, e.g. `[::1]`. */
  readonly allowedHosts: readonly string[];
  readonly port: number;
}

export const LOOPBACK_HOSTS = ['127.0.0.1', 'localhost', '[::1]'] as const;

/** Refuses with 403 whatever does not name us; runs before routing, so that no route can be forgotten. */
export function hostAndOriginGuard(options: AllowedHostsOptions): MiddlewareHandler {
  return async (c, next) => {
    const problem = refusalOf(c.req.raw.headers, options);
    if (problem === undefined) return next();
    return c.json({ status: 'error', code: 'forbidden', message: problem, next: nextStep(options) }, 403);
  };
}

/** Why the headers are refused, or `undefined`. A missing Origin is fine: only browsers send one. */
export function refusalOf(headers: Headers, options: AllowedHostsOptions): string | undefined {
  const authorities = options.allowedHosts.flatMap((host) => authoritiesOf(host, options.port));
  const host = headers.get('host')?.toLowerCase();
  if (host === undefined || !authorities.includes(host)) return 'Host header does not name this server';
  const origin = headers.get('origin')?.toLowerCase();
  if (origin === undefined || authorities.some((authority) => origin === `http://${authority}`)) return undefined;
  return 'Origin header names another site';
}

function authoritiesOf(host: string, port: number): readonly string[] {
  const name = host.toLowerCase();
  return port === 80 ? [name, `${name}:80`] : [`${name}:${port}`];
}

function nextStep(options: AllowedHostsOptions): string {
  return `Use http://${options.allowedHosts[0] ?? '127.0.0.1'}:${options.port} and send no foreign Origin`;
}

/** Requests that come from this machine and through nobody else. */
import type { Context } from 'hono';
import { LOOPBACK_HOSTS } from './guard.ts';

const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|::1|::ffff:127(?:\.\d{1,3}){3})$/;
/** What a proxy adds. One on this machine has a loopback address too, and speaks for the whole network. */
const FORWARDED = [
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'via',
] as const;
const OWN_NAME = new RegExp(
  `^(?:${LOOPBACK_HOSTS.map((host) => host.replace(/[.[\]]/g, '\\$&')).join('|')})(?::\\d+)?$`,
  'i',
);

/** The socket's other end, never a header; `undefined` where a request came through no socket. */
export function peerAddress(c: Context): string | undefined {
  // What `@hono/node-server` hands over; the type of `env` is nobody's.
  const { env }: { env: unknown } = c;
  if (!has(env, 'incoming') || !has(env.incoming, 'socket') || !has(env.incoming.socket, 'remoteAddress'))
    return undefined;
  const { remoteAddress } = env.incoming.socket;
  return typeof remoteAddress === 'string' ? remoteAddress : undefined;
}

/** A loopback peer that names this machine by a loopback name, with nothing a proxy would have added. */
export function isLocal(c: Context): boolean {
  const { headers } = c.req.raw;
  return (
    LOOPBACK.test(peerAddress(c) ?? '') &&
    OWN_NAME.test(headers.get('host') ?? '') &&
    FORWARDED.every((name) => !headers.has(name))
  );
}

function has<Name extends string>(value: unknown, name: Name): value is Record<Name, unknown> {
  return typeof value === 'object' && value !== null && name in value;
}

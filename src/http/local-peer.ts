/** Requests that come from this machine and through nobody else. */
import type { Context } from 'hono';
import type { HttpEnv } from './caller.ts';
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

/** A loopback peer that names this machine by a loopback name, with nothing a proxy would have added. */
export function isLocal(c: Context<HttpEnv>): boolean {
  const { headers } = c.req.raw;
  return (
    LOOPBACK.test(c.env?.incoming?.socket.remoteAddress ?? '') &&
    OWN_NAME.test(headers.get('host') ?? '') &&
    FORWARDED.every((name) => !headers.has(name))
  );
}

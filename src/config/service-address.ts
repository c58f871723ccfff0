/** Addresses of services that a machine's configuration may name. */
import { z } from 'zod';

const MAX_LENGTH = 2048;
const WANTED = 'expected an https address, or an http one of this machine, without user, query or fragment';

/**
 * A base address without its final slash. Plain http only to this machine: on any other way somebody could read what is
 * asked and write the answer. A user or password would be sent to, and logged by, whoever answers.
 */
export const serviceAddress = z
  .string()
  .max(MAX_LENGTH)
  .refine(isServiceAddress, WANTED)
  .transform((text) => new URL(text).href.replace(/\/+$/, ''));

/** `null` for text that is none. */
export function parseServiceAddress(text: string): string | null {
  const parsed = serviceAddress.safeParse(text);
  return parsed.success ? parsed.data : null;
}

function isServiceAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  if (username !== '' || password !== '' || /[?#]/.test(text)) return false;
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}

/** Of a parsed URL, which has normalised every spelling of an IPv4 address; a name that only looks like one is none. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

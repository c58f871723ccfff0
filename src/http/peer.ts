/**
 * Where a request comes from and which name it was sent to.
 *
 * `X-Forwarded-*` are claims of whoever sent the request; they count only when it came from a configured proxy, and of
 * `X-Forwarded-For` only what the proxies themselves added, read from the right.
 */
import { BlockList, isIP, isIPv6 } from 'node:net';
import type { Incoming } from './caller.ts';

export interface Peer {
  /** Of the caller as far as it is known; `unknown` without a socket. */
  readonly address: string;
  /** As in a `Host` header, lower case; `undefined` when the request has none. */
  readonly host: string | undefined;
}

export interface ProxyTrust {
  /** Whether the address is of a configured proxy. */
  trusts(address: string): boolean;
}

/** @param proxies Addresses and networks, as `10.0.0.0/8`. */
export function proxyTrust(proxies: readonly string[]): ProxyTrust {
  const list = new BlockList();
  for (const proxy of proxies) {
    const [address = '', bits] = proxy.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return { trusts: (address) => isIP(address) !== 0 && list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4') };
}

export function peerOf(
  headers: Headers,
  at: { readonly incoming: Incoming | undefined; readonly trust: ProxyTrust },
): Peer {
  const { incoming, trust } = at;
  const socket = plainAddress(incoming?.socket.remoteAddress ?? '');
  const host = headers.get('host')?.toLowerCase();
  if (!trust.trusts(socket)) return { address: socket === '' ? 'unknown' : socket, host };
  const forwardedHost = listOf(headers.get('x-forwarded-host')).at(-1)?.toLowerCase();
  return { address: forwardedAddress(headers, trust) ?? socket, host: forwardedHost ?? host };
}

/** The nearest address that no proxy of ours vouches for further; what is no address ends the walk. */
function forwardedAddress(headers: Headers, trust: ProxyTrust): string | undefined {
  let nearest: string | undefined;
  for (const entry of listOf(headers.get('x-forwarded-for')).reverse()) {
    const address = plainAddress(entry);
    if (isIP(address) === 0) break;
    nearest = address;
    if (!trust.trusts(address)) break;
  }
  return nearest;
}

function listOf(header: string | null): string[] {
  return (header ?? '')
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

/** An IPv4 address that a socket of both families shows as IPv6. */
function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '').toLowerCase();
}

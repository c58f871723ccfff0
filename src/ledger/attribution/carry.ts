/**
 * The client's side: a request's `_meta` with everything a server needs to follow the caller's chain (atrib's
 * specification 1.5.4). Waymark calls no server: asked by the vectors of the extension, and by tests as its clients.
 */
import * as z from 'zod';
import { type Accepted, CLIENT_CAPABILITIES } from './declaration.ts';
import { EXTENSION } from './request-meta.ts';

export interface CarryOptions {
  readonly accept: readonly Accepted[];
  /** Of the record the request follows. */
  readonly token?: string;
  readonly contextId?: string;
  readonly sessionToken?: string;
}

const members = z.record(z.string(), z.unknown()).catch({});
const text = z.string().catch('');

/** A new object: the caller's own members stay, and what it declared or listed before stays beside ours. */
export function carryAttribution(meta: Readonly<Record<string, unknown>>, options: CarryOptions): typeof meta {
  const { accept, token, contextId, sessionToken } = options;
  const capabilities = members.parse(meta[CLIENT_CAPABILITIES]);
  const declared = { ...members.parse(capabilities['extensions']), [EXTENSION]: { version: '0.1', accept } };
  return {
    ...meta,
    [CLIENT_CAPABILITIES]: { ...capabilities, extensions: declared },
    [EXTENSION]: {
      ...(token !== undefined && { token }),
      ...(contextId !== undefined && { context_id: contextId }),
    },
    ...(contextId !== undefined && { 'X-atrib-Context': contextId }),
    ...(token !== undefined && {
      atrib: token,
      'X-Atrib-Chain': token,
      tracestate: first('atrib', token, meta['tracestate']),
    }),
    ...(sessionToken !== undefined && { baggage: first('atrib-session', sessionToken, meta['baggage']) }),
  };
}

/** A W3C list with our member in front, where the latest writer goes, and no older one of the same name. */
function first(name: string, value: string, list: unknown): string {
  const others = text
    .parse(list)
    .split(',')
    .filter((member) => member.trim() !== '' && !member.trim().startsWith(`${name}=`));
  return [`${name}=${value}`, ...others].join(',');
}

/** The propagation token: which record a request follows, and whose it is (atrib.md 1.4). */
import { decodeBase64url, encodeBase64url } from '../base64url.ts';
import { bytesOfHash } from '../hash.ts';
import type { AtribRecord, Hash } from '../types.ts';
import { EXTENSION, type RequestMeta } from './request-meta.ts';

export interface PropagationToken {
  readonly recordHash: Hash;
  /** base64url, 43 characters. A claim: whoever holds the hash can write any key beside it. */
  readonly creatorKey: string;
}

export type TokenSource = 'extension' | 'meta-atrib' | 'tracestate' | 'x-atrib-chain';

export interface InboundToken extends PropagationToken {
  readonly source: TokenSource;
  /** Another carrier of the request holds another token. */
  readonly disagrees: boolean;
}

/** `<record hash>.<creator key>`, each 32 bytes in base64url: 87 characters. */
export function encodeToken(record: AtribRecord, hash: Hash): string {
  return `${encodeBase64url(bytesOfHash(hash))}.${record.creator_key}`;
}

export function decodeToken(token: string): PropagationToken | null {
  if (!/^[\w-]{43}\.[\w-]{43}$/.test(token)) return null;
  const [hash, key] = token.split('.').map(decodeBase64url);
  if (hash?.length !== 32 || key?.length !== 32) return null;
  return { recordHash: `sha256:${Buffer.from(hash).toString('hex')}`, creatorKey: encodeBase64url(key) };
}

/**
 * The token of a request: of the extension's block, then `atrib`, then the `atrib=` entry of `tracestate`, then
 * `X-Atrib-Chain`. A malformed one falls through.
 */
export function inboundToken(meta: RequestMeta): InboundToken | null {
  const carriers = [
    ['extension', meta[EXTENSION].token],
    ['meta-atrib', meta.atrib],
    ['tracestate', tracestateEntry(meta.tracestate)],
    ['x-atrib-chain', meta['X-Atrib-Chain']],
  ] as const;
  const tokens = carriers.flatMap(([source, text]) => {
    const token = text === undefined ? null : decodeToken(text);
    return token === null ? [] : [{ ...token, source }];
  });
  const [first] = tokens;
  if (first === undefined) return null;
  return { ...first, disagrees: tokens.some(({ recordHash }) => recordHash !== first.recordHash) };
}

/** W3C Trace Context 3.3: a list of `key=value`, white space around members allowed. */
function tracestateEntry(tracestate: string | undefined): string | undefined {
  const entry = tracestate?.split(',').find((member) => member.trim().startsWith('atrib='));
  return entry?.trim().slice('atrib='.length);
}

/** What marks the first record of a context (atrib.md 1.4). */
import { bytesOfHash, hashOf } from './hash.ts';
import type { Hash } from './types.ts';

/** The chain_root of the first record of a context. A record is genesis exactly when it has this value. */
export function genesisChainRoot(contextId: string): Hash {
  return hashOf(Buffer.from(contextId, 'utf8'));
}

/** The token by which a context's first record names its cause in another: the first 16 bytes of that record's hash. */
export function provenanceToken(upstream: Hash): string {
  return Buffer.from(bytesOfHash(upstream)).toString('base64url', 0, 16);
}

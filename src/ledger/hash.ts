/** SHA-256, bare and in atrib's written form. */
import { createHash } from 'node:crypto';
import type { Hash } from './types.ts';

const HASH = /^sha256:[0-9a-f]{64}$/;

/** SHA-256 of the concatenated parts, 32 bytes. */
export function sha256(...parts: readonly Uint8Array[]): Uint8Array {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

/** `sha256:` + lower-case hex of SHA-256 of `bytes`. */
export function hashOf(bytes: Uint8Array): Hash {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

export function isHash(value: unknown): value is Hash {
  return typeof value === 'string' && HASH.test(value);
}

/** The 32 bytes behind a written hash. */
export function bytesOfHash(hash: Hash): Uint8Array {
  if (!isHash(hash)) throw new TypeError(`Expected "sha256:" and 64 hex digits, got "${hash}"`);
  return Buffer.from(hash.slice('sha256:'.length), 'hex');
}

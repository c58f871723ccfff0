/** Digests of rejected values: keyed and quick, or, of erased ones, slow (docs/format.md, "Tombstones"). */
import { createHmac, scrypt } from 'node:crypto';

/** Characters of a short digest: base64url of 8 bytes. */
export const SHORT = 11;

/** Cost of the slow digest (RFC 7914); about a tenth of a second and 32 MiB. */
const COST = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 } as const;

/** HMAC-SHA256 of a normalised value, lower-case hex. */
export function valueDigest(key: Uint8Array, value: string): string {
  return createHmac('sha256', key).update(value).digest('hex');
}

/** First 8 bytes of the HMAC-SHA256 of kind, newline and text. */
export function shortDigest(key: Uint8Array, kind: 'shingle' | 'number' | 'name', text: string): string {
  return createHmac('sha256', key).update(`${kind}\n${text}`).digest().subarray(0, 8).toString('base64url');
}

/** scrypt of a normalised value, 32 bytes as lower-case hex. Takes its time on a thread of its own. */
export function slowDigest(salt: Uint8Array, value: string): Promise<string> {
  return new Promise((resolve, reject) => {
    scrypt(value, salt, 32, COST, (error, digest) => {
      if (error === null) resolve(digest.toString('hex'));
      else reject(error);
    });
  });
}

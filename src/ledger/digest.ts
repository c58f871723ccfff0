/**
 * Digests of an event: HMAC-SHA256 under the event's nonce, so that once the sidecar with the nonce is gone, nobody can
 * test a guess of the text against what is left.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { decodeBase64url } from './base64url.ts';

/**
 * Lower-case hex of the HMAC.
 *
 * @param nonce base64url of 32 bytes, as the sidecar has it.
 */
export function digestUnder(nonce: string, bytes: Uint8Array): string {
  return createHmac('sha256', nonceBytes(nonce)).update(bytes).digest('hex');
}

/** Whether `digest` of a sidecar with this nonce is of these bytes. */
export function matchesDigest(nonce: string, bytes: Uint8Array, digest: string): boolean {
  const expected = Buffer.from(digestUnder(nonce, bytes), 'utf8');
  const given = Buffer.from(digest, 'utf8');
  return expected.length === given.length && timingSafeEqual(expected, given);
}

function nonceBytes(nonce: string): Uint8Array {
  const bytes = decodeBase64url(nonce);
  if (bytes?.length !== 32) throw new TypeError('Expected a nonce of 32 bytes in base64url');
  return bytes;
}

/** A repository is named by its owner's key, so the name cannot be claimed by another. */
import { decodeBase64url } from './base64url.ts';
import { sha256 } from './hash.ts';

/** The first 32 hex digits of SHA-256 of the owner's raw public key. */
export function repositoryIdOf(ownerKey: string): string {
  const key = decodeBase64url(ownerKey);
  if (key?.length !== 32) throw new TypeError(`Expected a 32-byte public key in base64url, got "${ownerKey}"`);
  return Buffer.from(sha256(key)).toString('hex', 0, 16);
}

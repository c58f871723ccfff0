/** base64url without padding (RFC 4648 section 5), strictly. */

/**
 * The bytes of `text`, or `null` unless it is exactly what encoding them gives.
 *
 * Node's decoder also takes `+`, `/`, padding, white space and stray trailing bits; two spellings of one key or
 * signature would then be two identities.
 */
export function decodeBase64url(text: string): Uint8Array | null {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : null;
}

export function encodeBase64url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url');
}

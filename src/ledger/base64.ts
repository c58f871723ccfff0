/** Standard base64 with padding (RFC 4648 section 4), which logs use where records use base64url. */

/** The bytes of `text`, or `null` unless it is exactly what encoding them gives. */
export function decodeBase64(text: string): Uint8Array | null {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : null;
}

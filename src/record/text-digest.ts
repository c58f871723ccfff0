import { createHash } from 'node:crypto';

/** Lower-case hex SHA-256 of a text's UTF-8. */
export function textDigest(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

/**
 * The text of a token: `wm_`, an id that may be shown, and 32 random bytes that may not.
 *
 * The id finds the entry, so that nothing secret is ever looked up; the digest of the whole text decides.
 */
import { createHash, randomBytes, randomInt } from 'node:crypto';

const ID_ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789';
const ID_LENGTH = 12;
const SECRET_BYTES = 32;
const TEXT = /^wm_([a-z0-9]{12})_[A-Za-z0-9_-]{43}$/;

export const TOKEN_ID = /^[a-z0-9]{12}$/;

export interface NewToken {
  readonly id: string;
  readonly text: string;
}

export function newToken(): NewToken {
  const id = Array.from({ length: ID_LENGTH }, () => ID_ALPHABET[randomInt(ID_ALPHABET.length)]).join('');
  return { id, text: `wm_${id}_${randomBytes(SECRET_BYTES).toString('base64url')}` };
}

/** `null` for text that is no token of ours. */
export function tokenIdOf(text: string): string | null {
  return TEXT.exec(text)?.[1] ?? null;
}

/** What is stored. The secret has 256 bits, so a fast digest is as good as a slow one. */
export function tokenDigest(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest();
}

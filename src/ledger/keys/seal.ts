/** A key's passphrase: scrypt to a key for AES-256-GCM. */
import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from 'node:crypto';
import { encodeBase64url } from '../base64url.ts';
import { KeyError } from './key-error.ts';
import type { PlainKey, SealedKey } from './stored-key.ts';

const COST = { n: 32768, r: 8, p: 1 } as const;

/** Encrypts the seed; the public key is authenticated with it, so a sealed seed cannot be moved under another name. */
export function seal(key: PlainKey, passphrase: string): SealedKey {
  if (passphrase === '') throw new KeyError('empty_passphrase', 'A passphrase must not be empty');
  const { seed, protection: _, ...identity } = key;
  const salt = randomBytes(16);
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', derive(passphrase, salt), nonce);
  cipher.setAAD(Buffer.from(key.publicKey, 'base64url'));
  const ciphertext = Buffer.concat([cipher.update(Buffer.from(seed, 'base64url')), cipher.final()]);
  return {
    ...identity,
    protection: 'scrypt',
    salt: encodeBase64url(salt),
    ...COST,
    nonce: encodeBase64url(nonce),
    ciphertext: encodeBase64url(ciphertext),
    tag: encodeBase64url(cipher.getAuthTag()),
  };
}

/** The 32-byte seed, `null` for a wrong passphrase (or a file changed since; the two cannot be told apart). */
export function open(key: SealedKey, passphrase: string): Uint8Array | null {
  const secret = derive(passphrase, Buffer.from(key.salt, 'base64url'));
  const decipher = createDecipheriv('aes-256-gcm', secret, Buffer.from(key.nonce, 'base64url'), { authTagLength: 16 });
  decipher.setAAD(Buffer.from(key.publicKey, 'base64url'));
  decipher.setAuthTag(Buffer.from(key.tag, 'base64url'));
  try {
    return Buffer.concat([decipher.update(Buffer.from(key.ciphertext, 'base64url')), decipher.final()]);
  } catch {
    return null;
  }
}

/** Normalised first: keyboards and terminals spell the same accented passphrase in different bytes. */
function derive(passphrase: string, salt: Uint8Array): Uint8Array {
  const { n: N, r, p } = COST;
  return scryptSync(passphrase.normalize('NFC'), salt, 32, { N, r, p, maxmem: 64 * 1024 * 1024 });
}

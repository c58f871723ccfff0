/** Pure Ed25519 (RFC 8032) over raw base64url keys, through node:crypto. */
import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { putBounded } from '../record/put-bounded.ts';
import { decodeBase64url } from './base64url.ts';
import type { Signer } from './types.ts';

/** ASN.1 before the 32-byte seed in a PKCS #8 Ed25519 private key (RFC 8410 section 7). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Importing a key costs as much as verifying with it, and a ledger has few writers. Holds public keys only. */
const publicKeys = new Map<string, KeyObject>();
const PUBLIC_KEYS_MAX = 256;

export interface SignedBytes {
  /** base64url, 43 characters. */
  readonly publicKey: string;
  readonly bytes: Uint8Array;
  /** base64url, 86 characters. */
  readonly signature: string;
}

/** Whether `text` encodes 32 bytes; not whether they are a point of the curve. */
export function isPublicKey(text: unknown): text is string {
  return typeof text === 'string' && decodeBase64url(text)?.length === 32;
}

export function isSignature(text: unknown): text is string {
  return typeof text === 'string' && decodeBase64url(text)?.length === 64;
}

/** False for a wrong signature and for a malformed key or signature. */
export function verifyBytes(signed: SignedBytes): boolean {
  const prepared = prepare(signed);
  if (prepared === null) return false;
  return verify(null, signed.bytes, prepared.key, prepared.signature);
}

/** As {@link verifyBytes}, on the thread pool. */
export function verifyBytesAsync(signed: SignedBytes): Promise<boolean> {
  const prepared = prepare(signed);
  if (prepared === null) return Promise.resolve(false);
  return new Promise((resolve, reject) => {
    verify(null, signed.bytes, prepared.key, prepared.signature, (error, valid) =>
      error === null ? resolve(valid) : reject(error),
    );
  });
}

/** A signer for a 32-byte seed. */
export function signerFromSeed(seed: Uint8Array, options: { readonly protection: Signer['protection'] }): Signer {
  if (seed.length !== 32) throw new RangeError(`Expected a seed of 32 bytes, got ${seed.length}`);
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' });
  const { x } = createPublicKey(key).export({ format: 'jwk' });
  if (x === undefined) throw new Error('node:crypto exported an Ed25519 key without its public part');
  return { publicKey: x, protection: options.protection, sign: (bytes) => sign(null, bytes, key) };
}

function prepare(signed: SignedBytes): { readonly key: KeyObject; readonly signature: Uint8Array } | null {
  const signature = decodeBase64url(signed.signature);
  if (signature?.length !== 64) return null;
  const key = publicKeyObject(signed.publicKey);
  return key === null ? null : { key, signature };
}

function publicKeyObject(publicKey: string): KeyObject | null {
  const known = publicKeys.get(publicKey);
  if (known !== undefined) return known;
  if (!isPublicKey(publicKey)) return null;
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: publicKey }, format: 'jwk' });
  putBounded(publicKeys, [publicKey, key], { limit: PUBLIC_KEYS_MAX });
  return key;
}

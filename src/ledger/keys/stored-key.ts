/** A private key as its file says it. */
import { z } from 'zod';
import { AGENT_ID } from '../../record/principal.ts';
import { decodeBase64url } from '../base64url.ts';

const KEY_KINDS = ['owner', 'operator', 'reviewer', 'agent', 'recovery', 'service'] as const;
export type KeyKind = (typeof KEY_KINDS)[number];

function base64urlOf(length: number) {
  return z.string().refine((text) => decodeBase64url(text)?.length === length, `expected ${length} bytes in base64url`);
}

const identity = {
  version: z.literal(1),
  kind: z.enum(KEY_KINDS),
  /** 32 hex. */
  repository: z.string().regex(/^[0-9a-f]{32}$/),
  agent_id: z.string().regex(AGENT_ID).exactOptional(),
  /** Id of the clone the key writes in. */
  clone: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/)
    .exactOptional(),
  publicKey: base64urlOf(32),
};

export const storedKeySchema = z.discriminatedUnion('protection', [
  z.strictObject({ ...identity, protection: z.literal('none'), seed: base64urlOf(32) }).readonly(),
  z
    .strictObject({
      ...identity,
      protection: z.literal('scrypt'),
      salt: base64urlOf(16),
      // Version 1 means exactly this cost: a file cannot ask for less, nor for all memory.
      n: z.literal(32768),
      r: z.literal(8),
      p: z.literal(1),
      nonce: base64urlOf(12),
      ciphertext: base64urlOf(32),
      tag: base64urlOf(16),
    })
    .readonly(),
]);

/** All byte strings are base64url. */
export type StoredKey = z.infer<typeof storedKeySchema>;
export type PlainKey = Extract<StoredKey, { protection: 'none' }>;
export type SealedKey = Extract<StoredKey, { protection: 'scrypt' }>;

/** What a key is looked up by; every member must be equal, absent ones included. */
export interface KeyIdentity {
  readonly repository: string;
  readonly kind: KeyKind;
  readonly agent_id?: string;
  readonly clone?: string;
}

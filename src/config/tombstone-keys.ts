/** `tombstone-keys.yaml`: the keys under which rejected values are digested. Old versions stay, or nothing they made could be asked. */
import { z } from 'zod';
import type { Outcome } from '../record/outcome.ts';
import { parseSettings, renderSettings } from './yaml-settings.ts';

const keysSchema = z
  .strictObject({
    /** 32 bytes each, base64url. Position is version - 1; the last one digests what is rejected now. */
    keys: z
      .array(z.strictObject({ version: z.int().positive(), key: z.string().regex(/^[A-Za-z0-9_-]{43}$/) }).readonly())
      .min(1)
      .max(1000)
      .refine((keys) => keys.every(({ version }, at) => version === at + 1), 'versions must count up from 1')
      .readonly(),
    /** 16 bytes, base64url; one for all erased texts, so that one scrypt answers for a text. */
    scrypt_salt: z.string().regex(/^[A-Za-z0-9_-]{22}$/),
  })
  .readonly();

export type TombstoneKeys = z.output<typeof keysSchema>;

/** Code `repository` when the bytes are no such file. */
export function parseTombstoneKeys(bytes: Uint8Array): Outcome<TombstoneKeys> {
  return parseSettings(bytes, { name: 'tombstone-keys.yaml', schema: keysSchema });
}

export function renderTombstoneKeys(keys: TombstoneKeys): Uint8Array {
  return Buffer.from(renderSettings(keys));
}

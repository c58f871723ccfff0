/** `trails/<scope>/tombstones/<id>.yaml`: a rejected value, by its digests alone (docs/format.md, "Tombstones"). */
import { z } from 'zod';
import type { Outcome } from '../record/outcome.ts';
import { GROUNDS } from '../record/thought.ts';
import { parseSettings, renderSettings } from './yaml-settings.ts';

/** Eight bytes each, in rising order. */
const digests = z.string().regex(/^(?:[A-Za-z0-9_-]{11})*$/);

const common = {
  id: z.string().regex(/^[0-9A-HJKMNP-TV-Z]{26}$/),
  digest: z.string().regex(/^[0-9a-f]{64}$/),
  scope: z.string(),
  thought_id: z.string(),
  reason: z.string(),
  since: z.iso.datetime(),
  /** Agent id of the person, for display. */
  by: z.string(),
};

const tombstoneSchema = z.discriminatedUnion('check', [
  z.strictObject({
    ...common,
    check: z.literal('hmac'),
    /** Version of the repository key under which all digests here are. */
    key: z.int().positive(),
    /** Absent of short values. */
    sketch: z.strictObject({ shingles: z.int().positive(), members: digests }).readonly().optional(),
    numbers: digests,
    names: digests,
    grounds: z.enum(GROUNDS).optional(),
  }),
  /** Of an erased text: slow to guess, and nothing but equality can be asked. */
  z.strictObject({ ...common, check: z.literal('scrypt') }),
]);

export type TombstoneFile = Readonly<z.output<typeof tombstoneSchema>>;

/** Code `repository` when the bytes are no tombstone. */
export function parseTombstone(bytes: Uint8Array): Outcome<TombstoneFile> {
  return parseSettings(bytes, { name: 'The tombstone', schema: tombstoneSchema });
}

export function renderTombstone(tombstone: TombstoneFile): Uint8Array {
  return Buffer.from(renderSettings(tombstone));
}

/** What whoever holds the record's lock left to be known by. */
import * as z from 'zod';
import { parseJson } from '../ledger/json-text.ts';

/** Milliseconds. Nothing of ours holds the lock this long, since a transaction takes some: whoever does hangs. */
export const LONG_HOLD_MS = 60_000;

/** A note is cut off when its writer was. */
const schema = z
  .object({
    pid: z.int().optional().catch(undefined),
    agent: z.string().optional().catch(undefined),
    since: z.string().optional().catch(undefined),
  })
  .catch({});
export type LockNote = Readonly<z.output<typeof schema>>;

/** @param holder As `LockState` has it. */
export function lockNote(holder: string | null): LockNote {
  return schema.parse(parseJson(holder ?? ''));
}

/** `keys.yaml`: the enrolled keys, for people. What counts are the enrolment events; nothing reads the file. */
import { isDeepStrictEqual } from 'node:util';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import type { Enrolment } from '../ledger/types.ts';
import { isTooDeep } from '../record/codec/nesting.ts';

type KeyRow = Pick<Enrolment, 'key' | 'agent_id' | 'role' | 'name' | 'protection'>;

export const KEYS_FILE = 'keys.yaml';
/** Some 5,000 keys. */
const MAX_BYTES = 1024 * 1024;
const fileSchema = z.strictObject({ keys: z.array(z.looseObject({ key: z.string() })) });
const COMMENT = '# A view of the enrolment events in ledger/; editing it changes nothing.\n';

/** The file's bytes. Of a key that comes twice the later row counts; the name it was given before stays. */
export function keysView(keys: readonly KeyRow[]): Uint8Array {
  return Buffer.from(COMMENT + stringify({ keys: rowsOf(keys) }, { lineWidth: 0 }));
}

/** Whether the file says the same, in whatever order and layout. */
export function isKeysView(bytes: Uint8Array, keys: readonly KeyRow[]): boolean {
  const text = Buffer.from(bytes).toString('utf8');
  if (bytes.length > MAX_BYTES || isTooDeep(text)) return false;
  try {
    return isDeepStrictEqual(byKey(parse(text)), byKey({ keys: rowsOf(keys) }));
  } catch {
    return false;
  }
}

function rowsOf(keys: readonly KeyRow[]): readonly KeyRow[] {
  const rows = new Map<string, KeyRow>();
  for (const { key, agent_id, role, name = rows.get(key)?.name, protection } of keys) {
    rows.set(key, { key, agent_id, role, ...(name === undefined ? {} : { name }), protection });
  }
  return [...rows.values()];
}

/** Two clones that enrol at once leave one order in the file and another in the events. */
function byKey(file: unknown): unknown {
  const { keys } = fileSchema.parse(file);
  return [...keys].sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** `keys.yaml`: the enrolled keys, for people. What counts are the enrolment events; nothing reads the file. */
import { isDeepStrictEqual } from 'node:util';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import type { Enrolment, Revocation } from '../ledger/types.ts';
import { isTooDeep } from '../record/codec/nesting.ts';

type KeyRow = Pick<Enrolment, 'key' | 'agent_id' | 'role' | 'name' | 'protection'>;

export const KEYS_FILE = 'keys.yaml';
/** Some 5,000 keys. */
const MAX_BYTES = 1024 * 1024;
const fileSchema = z.strictObject({ keys: z.array(z.looseObject({ key: z.string() })) });
const COMMENT = '# A view of the enrolment events in ledger/; editing it changes nothing.\n';

/** What the record says of keys. */
export interface KeysShown {
  /** Of a key that comes twice the later row counts; the name it was given before stays. */
  readonly keys: readonly KeyRow[];
  readonly revocations: readonly Revocation[];
}

/** The file's bytes. */
export function keysView(shown: KeysShown): Uint8Array {
  return Buffer.from(COMMENT + stringify({ keys: rowsOf(shown) }, { lineWidth: 0 }));
}

/**
 * Whether the file says the same, in whatever order and layout.
 *
 * @param voided Keys of enrolments that a revocation voids: the file was written when they counted.
 */
export function isKeysView(
  bytes: Uint8Array,
  shown: KeysShown & { readonly voided?: () => ReadonlySet<string> },
): boolean {
  const text = Buffer.from(bytes).toString('utf8');
  if (bytes.length > MAX_BYTES || isTooDeep(text)) return false;
  try {
    const file = byKey(parse(text));
    const events = byKey({ keys: rowsOf(shown) });
    if (isDeepStrictEqual(file, events)) return true;
    const voided = shown.voided?.() ?? new Set();
    const standing = (rows: typeof file) => rows.filter(({ key }) => !voided.has(key));
    return voided.size > 0 && isDeepStrictEqual(standing(file), standing(events));
  } catch {
    return false;
  }
}

function rowsOf({ keys, revocations }: KeysShown): readonly KeyRow[] {
  const rows = new Map<string, KeyRow>();
  for (const { key, agent_id, role, name = rows.get(key)?.name, protection } of keys) {
    rows.set(key, { key, agent_id, role, ...(name === undefined ? {} : { name }), protection });
  }
  return [...rows.values()].map((row) => ({ ...row, ...endOf(row.key, revocations) }));
}

/** How many records of the key's log stand, and why no more. */
function endOf(key: string, revocations: readonly Revocation[]) {
  const [first] = revocations.filter((revocation) => revocation.key === key).sort(bySizeAndReason);
  return first === undefined ? {} : { revoked: { size: first.size, reason: first.reason } };
}

function bySizeAndReason(a: Revocation, b: Revocation): number {
  return a.size - b.size || (a.reason < b.reason ? -1 : 1);
}

/** Two clones that enrol at once leave one order in the file and another in the events. */
function byKey(file: unknown): readonly { readonly key: string }[] {
  const { keys } = fileSchema.parse(file);
  return [...keys].sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** The repository's keys of tombstones: made with the first one, and renewed by an operator. */
import { randomBytes } from 'node:crypto';
import { renderTombstoneKeys, type TombstoneKeys } from '../../config/index.ts';
import type { EventFile } from '../../ledger/types.ts';
import { type Outcome, ok, refuse } from '../../record/outcome.ts';
import { TOMBSTONE_KEYS_FILE } from '../../record/paths.ts';
import { blobIdOf } from '../../store/blob-id.ts';
import type { Draft } from '../../store/draft.ts';
import type { TrailContext } from '../context.ts';
import { checkOperator } from '../guard.ts';
import { inputOf, write } from '../write.ts';
import { type KeyRing, keyRing, keysInForce } from './in-force.ts';

export interface EnsuredKeys {
  readonly ring: KeyRing;
  /** For the event that makes the first tombstone. */
  readonly files: readonly EventFile[];
}

/** For a record that has none yet. */
export function makeKeys(): TombstoneKeys {
  return { keys: [newKey(1)], scrypt_salt: randomBytes(16).toString('base64url') };
}

/** Refused (`repository`) when keys were signed and are lost: others in their place would make every tombstone void. */
export async function ensureKeys(draft: Draft, made: TombstoneKeys = makeKeys()): Promise<Outcome<EnsuredKeys>> {
  const ring = keysInForce(draft.index);
  if (ring === 'lost') return lost();
  if (ring !== null) return ok({ ring, files: [] });
  const file = await keysFile(draft, made);
  return file.ok ? ok({ ring: keyRing(made), files: [file.value] }) : file;
}

/** Digests what is rejected from now on. */
export function newestKey({ keys }: KeyRing): { readonly version: number; readonly key: Uint8Array } {
  const newest = [...keys].at(-1);
  if (newest === undefined) throw new Error('A key ring is never empty');
  return { version: newest[0], key: newest[1] };
}

export interface RotateTombstoneKeyInput {
  readonly reason: string;
}

export interface RotateTombstoneKeyResult {
  readonly status: 'ok';
  /** Of the key that digests what is rejected from now on. */
  readonly version: number;
}

/** Adds a key. Tombstones stay under the key that made them, which stays too: without the texts nothing else can be. */
export async function rotateTombstoneKey(
  context: TrailContext,
  input: RotateTombstoneKeyInput,
): Promise<Outcome<RotateTombstoneKeyResult>> {
  const refusal = checkOperator('Renewing the key of tombstones', context.principal);
  if (refusal !== null) return refusal;
  const call = { verb: 'accept', input: inputOf(input), idempotencyKey: undefined };
  return write<RotateTombstoneKeyResult>(context, call, async (draft) => {
    const ring = keysInForce(draft.index);
    if (ring === 'lost') return lost();
    if (ring === null) {
      return refuse('not_found', 'There is no tombstone yet, and so no key to renew', {
        next: 'The first rejection that keeps a value out makes both',
      });
    }
    const version = newestKey(ring).version + 1;
    const file = await keysFile(draft, { ...ring.file, keys: [...ring.file.keys, newKey(version)] });
    if (!file.ok) return file;
    return ok({
      events: [{ verb: 'accept' as const, informed_by: [], local: { reason: input.reason }, files: [file.value] }],
      message: 'Renew the key of tombstones',
      answer: { status: 'ok' as const, version },
    });
  });
}

function newKey(version: number): TombstoneKeys['keys'][number] {
  return { version, key: randomBytes(32).toString('base64url') };
}

async function keysFile(draft: Draft, keys: TombstoneKeys): Promise<Outcome<EventFile>> {
  const path = TOMBSTONE_KEYS_FILE;
  const before = draft.index.setting(path);
  const after = renderTombstoneKeys(keys);
  const edited = await draft.uncommittedEdit(new Map([[path, blobIdOf(before ?? after)]]));
  if (edited === null) return ok({ path, before, after });
  return refuse('uncommitted_edit', `File "${path}" in the working tree is not the committed one`, {
    next: `Discard the edit ("git checkout -- ${path}"), or move the file away, then call again`,
  });
}

function lost() {
  return refuse('repository', `"${TOMBSTONE_KEYS_FILE}" cannot be read as it was signed`, {
    next: `Bring its last version back from history ("git log -- ${TOMBSTONE_KEYS_FILE}") and commit it`,
  });
}

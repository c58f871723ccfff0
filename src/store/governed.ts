/**
 * Works out which version of each governed file is in force: the one whose digest the newest counting event states,
 * wherever it lies now (design.md, "Held to the ledger").
 */
import { eventPath, matchesDigest } from '../ledger/index.ts';
import type { IndexedEvent } from './index/types.ts';
import type { RebuiltIndex } from './rebuilt-index.ts';
import type { CommitId, VersionStore } from './version-store.ts';

/** Bytes a path had in a commit that brought the event, and which `isSigned` takes; `null` when history has none. */
export type ReadSigned = (event: IndexedEvent, wanted: WantedVersion) => Promise<Uint8Array | null>;

export interface WantedVersion {
  readonly path: string;
  readonly isSigned: (bytes: Uint8Array | null) => bytes is Uint8Array;
}

/** A committer can remove an event file and bring it back, beside another version of the setting. */
const MOST_COMMITS = 100;

/**
 * Call it for every governed path whose committed file or newest event changed, after both are in the index.
 *
 * @param readSigned Reads history, so not to be had under the lock; without it, `false` says that it is needed.
 */
export async function settleGoverned(
  index: RebuiltIndex,
  paths: Iterable<string>,
  readSigned: ReadSigned | undefined,
): Promise<boolean> {
  for (const path of paths) {
    const signed = index.signedVersion(path);
    if (signed === null) continue;
    const committed = index.setting(path);
    const nonce = signed.event.envelope._local?.nonce ?? '';
    const { after } = signed.change;
    if (after === null) {
      index.putGoverned({ path, state: committed === null ? 'signed' : 'changed', bytes: null });
      continue;
    }
    const isSigned = (bytes: Uint8Array | null): bytes is Uint8Array =>
      bytes !== null && matchesDigest(nonce, bytes, after);
    if (isSigned(committed)) {
      index.putGoverned({ path, state: 'signed', bytes: committed });
      continue;
    }
    const kept = index.governed(path);
    let bytes = kept?.bytes ?? null;
    if (!isSigned(bytes)) {
      if (kept?.state === 'unresolved' && readSigned === undefined) return false;
      // One that was looked for and not found stays lost until the file itself comes back.
      bytes = kept?.state === 'unresolved' ? ((await readSigned?.(signed.event, { path, isSigned })) ?? null) : null;
    }
    const state = !isSigned(bytes) ? 'lost' : committed === null ? 'removed' : 'changed';
    index.putGoverned({ path, state, bytes: state === 'lost' ? null : bytes });
  }
  return true;
}

/** Reads from the branch's history; an event's commits are looked for once. */
export function readSignedFrom(store: VersionStore): ReadSigned {
  const commits = new Map<string, readonly CommitId[]>();
  return async ({ envelope }, { path, isSigned }) => {
    const { waymark } = envelope.record;
    if (waymark === undefined) return null;
    const file = eventPath(waymark.log, waymark.seq);
    try {
      const brought = commits.get(file) ?? (await store.commitsThatAdded(file, MOST_COMMITS));
      commits.set(file, brought);
      for (const commit of brought) {
        const bytes = await store.readPath(commit, path);
        if (isSigned(bytes)) return bytes;
      }
      return null;
    } catch {
      // A shallow clone, or one that lacks objects, is no reason to be without an index: the setting is lost, and named.
      return null;
    }
  };
}

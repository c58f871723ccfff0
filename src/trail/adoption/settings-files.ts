/** The settings files that adoption puts in force, so that the record is run as FAVA was. */
import { matchesDigest } from '../../ledger/index.ts';
import { FILE_LIMIT } from '../../record/codec/index.ts';
import { governedPath, isOfTombstones, scopeOfSettings } from '../../record/paths.ts';
import type { Index } from '../../store/index/index.ts';
import { KEYS_FILE } from '../../store/keys-view.ts';
import { isFile } from '../../store/read-batches.ts';
import type { TreeEntry, VersionStore } from '../../store/version-store.ts';

export interface SettingsFiles {
  /** No operator has signed any version yet, and adoption does. */
  readonly unsigned: readonly TreeEntry[];
  /** Paths whose signed version is another, and those that wait for `accept` because a record is there already. */
  readonly changed: readonly string[];
}

export interface SettingsSources {
  readonly index: Index;
  readonly store: Pick<VersionStore, 'readBlob'>;
  readonly tree: readonly TreeEntry[];
  /** The repository was FAVA's alone until now. */
  readonly isFirst: boolean;
  /** Only line ends were asked for: nothing is put in force. */
  readonly eol: boolean;
}

/**
 * The first adoption takes the settings with which FAVA was run. Later ones bring in thoughts, and the settings file that
 * comes with a new scope: a prompt or a hook that somebody committed since is looked at by `accept`.
 *
 * `keys.yaml` is a view that the enrolments write. A tombstone comes from a rejection and goes by `lift`.
 */
export async function settingsFiles({ index, store, tree, isFirst, eol }: SettingsSources): Promise<SettingsFiles> {
  const unsigned: TreeEntry[] = [];
  const changed: string[] = [];
  for (const entry of tree) {
    if (!governedPath(entry.path) || entry.path === KEYS_FILE || !isFile(entry.mode)) continue;
    if (isOfTombstones(entry.path)) continue;
    if (entry.size > FILE_LIMIT) continue;
    const last = index.lastEventOfPath(entry.path);
    const nonce = last?.event.envelope._local?.nonce;
    const signed = last?.change.after;
    const isSame =
      nonce !== undefined && signed != null && matchesDigest(nonce, await store.readBlob(entry.blob), signed);
    const isNew = last === null && (isFirst || scopeOfSettings(entry.path) !== null);
    if (isNew || (isSame && last?.event.role === 'owner')) unsigned.push(entry);
    else if (!isSame) changed.push(entry.path);
  }
  return { unsigned: eol ? [] : unsigned, changed };
}

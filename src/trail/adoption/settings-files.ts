/** The settings files that adoption puts in force, so that the record is run as FAVA was. */
import { matchesDigest } from '../../ledger/index.ts';
import { FILE_LIMIT } from '../../record/codec/index.ts';
import { governedPath } from '../../record/paths.ts';
import type { Index } from '../../store/index/index.ts';
import { isFile } from '../../store/read-batches.ts';
import type { TreeEntry, VersionStore } from '../../store/version-store.ts';

export interface SettingsFiles {
  /** No operator has signed any version yet. */
  readonly unsigned: readonly TreeEntry[];
  /** Paths whose signed version is another. */
  readonly changed: readonly string[];
}

export interface SettingsSources {
  readonly store: Pick<VersionStore, 'readBlob'>;
  /** All files of the commit. */
  readonly tree: readonly TreeEntry[];
  /** Only line ends were asked for: nothing is put in force. */
  readonly eol: boolean;
}

/** `keys.yaml` is a view that the enrolments write. */
export async function settingsFiles(index: Index, { store, tree, eol }: SettingsSources): Promise<SettingsFiles> {
  const unsigned: TreeEntry[] = [];
  const changed: string[] = [];
  for (const entry of tree) {
    if (!governedPath(entry.path) || entry.path === 'keys.yaml' || !isFile(entry.mode)) continue;
    if (entry.size > FILE_LIMIT) continue;
    const last = index.lastEventOfPath(entry.path);
    const nonce = last?.event.envelope._local?.nonce;
    const signed = last?.change.after;
    const isSame =
      nonce !== undefined && signed != null && matchesDigest(nonce, await store.readBlob(entry.blob), signed);
    if (last === null || (isSame && last.event.role === 'owner')) unsigned.push(entry);
    else if (!isSame) changed.push(entry.path);
  }
  return { unsigned: eol ? [] : unsigned, changed };
}

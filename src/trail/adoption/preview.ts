/** What adoption would do, worked out on an index of its own; writes nothing into the repository. */
import { blobIdOf } from '../../store/blob-id.ts';
import type { Index } from '../../store/index/index.ts';
import type { TreeEntry } from '../../store/version-store.ts';
import { collect } from './candidates.ts';
import { describe } from './describe.ts';
import type { LeftJournal } from './recovery.ts';
import type { AdoptRecord } from './report.ts';
import { makeScratchIndex, type ScratchOptions } from './scratch-index.ts';
import { type SettingsFiles, settingsFiles } from './settings-files.ts';

export interface PreviewOptions extends ScratchOptions {
  /** All files of the commit. */
  readonly tree: readonly TreeEntry[];
  readonly eol: boolean;
  readonly isFirst: boolean;
  /** Its files are put back first. */
  readonly journal: LeftJournal;
}

export interface Preview {
  readonly records: readonly AdoptRecord[];
  readonly settings: SettingsFiles;
}

export async function preview(options: PreviewOptions): Promise<Preview> {
  const { store, tree, eol, journal, isFirst } = options;
  const scratch = await makeScratchIndex(options);
  try {
    const done = await scratch.index.transaction(0, async (writable) => {
      // Where the journal holds something else than what is committed, recovery signs for it and reports it.
      for (const [path, bytes] of journal.before) {
        if (bytes === null || writable.thoughtByPath(path)?.blob !== blobIdOf(bytes)) writable.removeThought(path);
      }
      const { candidates, left } = await collect({ index: writable, store, tree, eol });
      const before = candidates.map(({ path }) => statusBefore(writable, path));
      for (const { path } of candidates) hold(writable, path);
      writable.settleSupersession();
      const adopted = candidates.map((candidate, at) => describe(writable, candidate, before[at]));
      const settings = await settingsFiles({ index: writable, store, tree, isFirst, eol });
      return { commit: false, value: { records: [...adopted, ...left], settings } };
    });
    if (done === null) throw new Error('An index of our own is locked');
    return done.value;
  } finally {
    scratch.remove();
  }
}

/** The status the last event left the file in. */
export function statusBefore(index: Index, path: string): AdoptRecord['status_before'] {
  return index.lastEventOfPath(path)?.change.status;
}

/** As if an operator had signed for it. */
function hold(index: Index, path: string): void {
  const row = index.thoughtByPath(path);
  if (row === null) return;
  const { reason: _, ...rest } = row;
  index.putThought({ ...rest, held: true });
}

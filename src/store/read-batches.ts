import type { ChangedFile } from './changed-file.ts';
import type { BlobId, VersionStore } from './version-store.ts';

/** Files of a batch; a batch of the largest files stays well below 100 MiB. */
export const BATCH = 128;

export interface WantedFile {
  readonly path: string;
  /** `null` where the path is gone. */
  readonly blob: BlobId | null;
}

/** Reads files in batches, with one child process for all of them. */
export async function* readBatches(
  store: VersionStore,
  files: readonly WantedFile[],
  size = BATCH,
): AsyncGenerator<readonly ChangedFile[]> {
  const contents = store.readBlobs(files.flatMap((file) => file.blob ?? []))[Symbol.asyncIterator]();
  try {
    for (let from = 0; from < files.length; from += size) {
      const batch: ChangedFile[] = [];
      for (const { path, blob } of files.slice(from, from + size)) {
        const next = blob === null ? null : await contents.next();
        batch.push({ path, blob, bytes: next === null || next.done === true ? null : next.value });
      }
      yield batch;
    }
  } finally {
    // Whoever stops in the middle leaves no child process behind.
    await contents.return?.();
  }
}

/** Only regular files: no thought or event is a link or a submodule. */
export function isFile(mode: string | null): boolean {
  return mode === '100644' || mode === '100755';
}

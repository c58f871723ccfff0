/** Finds the bytes that files had at an earlier time, by the digests that events of then signed. */
import { matchesDigest } from '../../ledger/index.ts';
import type { ChangedFile } from '../changed-file.ts';
import { isFile, readBatches } from '../read-batches.ts';
import type { BlobId, CommitId, VersionStore } from '../version-store.ts';

/** What the last event of then says of a path. */
export interface WantedFile {
  readonly path: string;
  readonly nonce: string;
  /** Digest of the bytes under the nonce. */
  readonly after: string;
}

export interface FilesOfThenOptions {
  readonly store: VersionStore;
  /** The present commit: what it does not lead back to is not looked at. */
  readonly commit: CommitId;
  /** Unix milliseconds. */
  readonly knownAt: number;
}

interface Candidate {
  readonly path: string;
  readonly blob: BlobId;
}

/**
 * Yields each wanted file that lies in the history, once. The signature says which bytes they were, so it does not matter
 * which commit holds them, nor when that says it was made; dates only tell where to look first.
 */
export async function* filesOfThen(
  wanted: readonly WantedFile[],
  options: FilesOfThenOptions,
): AsyncGenerator<ChangedFile> {
  const { store } = options;
  const missing = new Map(wanted.map((file) => [file.path, file]));
  for (const look of [presentFiles, filesAtDate, filesOfSecond, allFiles]) {
    if (missing.size === 0) return;
    const found = await look(options, missing);
    for await (const batch of readBatches(store, found)) {
      for (const file of batch) {
        const sought = missing.get(file.path);
        if (sought === undefined || file.bytes === null) continue;
        if (!matchesDigest(sought.nonce, file.bytes, sought.after)) continue;
        missing.delete(file.path);
        yield file;
      }
    }
  }
}

type Look = (options: FilesOfThenOptions, missing: ReadonlyMap<string, WantedFile>) => Promise<readonly Candidate[]>;

/** Most files were never changed since. */
const presentFiles: Look = ({ store, commit }, missing) => filesIn(store, commit, missing);

const filesAtDate: Look = async ({ store, knownAt }, missing) => {
  const commit = await store.commitAt(knownAt);
  return commit === null ? [] : filesIn(store, commit, missing);
};

/** Commits know seconds only: several of one second. */
const filesOfSecond: Look = async ({ store, knownAt }, missing) => {
  const [before, last] = [await store.commitAt(knownAt - 1000), await store.commitAt(knownAt)];
  return last === null || last === before ? [] : filesBetween(store, { before, last, missing });
};

const allFiles: Look = ({ store, commit }, missing) => filesBetween(store, { before: null, last: commit, missing });

async function filesIn(store: VersionStore, commit: CommitId, missing: ReadonlyMap<string, WantedFile>) {
  const files = await store.list(commit, 'trails');
  return files.filter(({ path, mode }) => isFile(mode) && missing.has(path));
}

interface Span {
  readonly before: CommitId | null;
  readonly last: CommitId;
  readonly missing: ReadonlyMap<string, WantedFile>;
}

async function filesBetween(store: VersionStore, { before, last, missing }: Span): Promise<readonly Candidate[]> {
  const found = new Map<string, Candidate>();
  for await (const { changes } of store.walk(before, last)) {
    for (const { path, after } of changes.flatMap(({ paths }) => paths)) {
      if (after === null || !isFile(after.mode) || !missing.has(path)) continue;
      found.set(`${after.blob} ${path}`, { path, blob: after.blob });
    }
  }
  return [...found.values()];
}

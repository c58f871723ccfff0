/** What one commit did, as far as the ledger has a say in it. */
import { isCheckpointPath, parseEventPath } from '../../ledger/index.ts';
import { governedPath, isThoughtLike } from '../../record/paths.ts';
import { isFile } from '../../store/read-batches.ts';
import type { BlobId, CommitId, RawChange, WalkedCommit } from '../../store/version-store.ts';

export interface CommitChanges {
  readonly commit: CommitId;
  readonly isMerge: boolean;
  /** Event files that none of its parents has. */
  readonly added: readonly { readonly path: string; readonly blob: BlobId }[];
  /** Event files of a parent that are others here. */
  readonly replaced: readonly { readonly path: string; readonly before: BlobId; readonly blob: BlobId | null }[];
  /** Event files of a parent that are gone. */
  readonly gone: readonly { readonly path: string; readonly blob: BlobId }[];
  /** `after` is `null` where it is gone. */
  readonly checkpoints: readonly { readonly path: string; readonly before: BlobId; readonly after: BlobId | null }[];
  /** Thoughts and governed files that are as in none of its parents. */
  readonly files: readonly ChangedRecordFile[];
}

export interface ChangedRecordFile {
  readonly path: string;
  readonly before: BlobId | null;
  /** `null` when it is gone. */
  readonly after: BlobId | null;
  /** A regular file, or none. */
  readonly isPlain: boolean;
}

/** Commits from before there was a ledger, which are not Waymark's to judge. */
export class BeforeLedger {
  readonly #commits = new Set<CommitId>();

  /** The changes to judge: of a merge, those against the parents that have a ledger. `null` for a commit of before. */
  judged({ commit, changes }: WalkedCommit): readonly (readonly RawChange[])[] | null {
    const held = changes.filter(({ parent }) => parent !== null && !this.#commits.has(parent));
    if (held.length > 0) return held.map(({ paths }) => paths);
    const brings = changes.some(({ paths }) => paths.some(({ path }) => path.startsWith('ledger/')));
    if (brings) return changes.map(({ paths }) => paths);
    this.#commits.add(commit);
    return null;
  }
}

/** A merge only brings together: what it has like one of its parents was judged there. */
export function changesOf(commit: CommitId, changes: readonly (readonly RawChange[])[]): CommitChanges {
  const [first = [], ...others] = changes;
  const inOthers = others.map((paths) => new Set(paths.map(({ path }) => path)));
  const ofAll = first.filter(({ path }) => inOthers.every((paths) => paths.has(path)));
  const any = changes.flat();
  const events = any.filter(({ path }) => parseEventPath(path) !== null);
  return {
    commit,
    isMerge: others.length > 0,
    added: ofAll.flatMap(({ path, before, after }) =>
      before === null && after !== null && isFile(after.mode) && parseEventPath(path) !== null
        ? [{ path, blob: after.blob }]
        : [],
    ),
    replaced: events.flatMap(({ path, before, after }) =>
      before !== null && after !== null
        ? [{ path, before: before.blob, blob: isFile(after.mode) ? after.blob : null }]
        : [],
    ),
    gone: events.flatMap(({ path, before, after }) =>
      before !== null && after === null ? [{ path, blob: before.blob }] : [],
    ),
    checkpoints: any.flatMap(({ path, before, after }) =>
      before !== null && isCheckpointPath(path) ? [{ path, before: before.blob, after: after?.blob ?? null }] : [],
    ),
    files: ofAll
      .filter(({ path }) => isThoughtLike(path) || governedPath(path))
      .map(({ path, before, after }) => ({
        path,
        before: before?.blob ?? null,
        after: after?.blob ?? null,
        isPlain: after === null || isFile(after.mode),
      })),
  };
}

/** What an operation sees and stages while it decides. */
import type { EventDraft } from '../ledger/types.ts';
import type { Index } from './index/index.ts';
import type { BlobId, CommitId } from './version-store.ts';

/** What an operation decided: events with the files they change, or nothing to do. */
export interface Decision<T> {
  /** In order, in one commit. Empty when there is nothing to change; the answer stands all the same. */
  readonly events: readonly EventDraft[];
  /** First line of the commit message; ids and scopes only, never text of a thought. */
  readonly message?: string;
  readonly answer: T;
  /**
   * Files beside those of the events, by path: event files without the sidecars that an erasure takes away, and files
   * whose bytes no event may hold a digest of. Only of an operation that is alone.
   */
  readonly alsoWritten?: ReadonlyMap<string, Uint8Array | null>;
}

export interface DraftSources {
  readonly index: Index;
  readonly head: CommitId | null;
  /** Unix milliseconds. */
  readonly now: number;
  readonly readBlob: (blob: BlobId) => Promise<Uint8Array>;
  /** Files staged by earlier operations of the same group. */
  readonly staged: ReadonlyMap<string, Uint8Array | null>;
  /** First of these paths whose working file a person edited and has not committed. */
  readonly uncommittedEdit: (files: ReadonlyMap<string, BlobId>) => Promise<string | null>;
}

export class Draft {
  readonly #sources: DraftSources;

  constructor(sources: DraftSources) {
    this.#sources = sources;
  }

  /** Sees what earlier operations of this group staged. */
  get index(): Index {
    return this.#sources.index;
  }

  get now(): number {
    return this.#sources.now;
  }

  get head(): CommitId | null {
    return this.#sources.head;
  }

  /** What earlier operations of this group change: it is in the index and not in {@link Draft.head} yet. */
  get stagedPaths(): Iterable<string> {
    return this.#sources.staged.keys();
  }

  /** The bytes a path has at this point, `null` when it has none. `blob` is its committed blob, when known. */
  async bytesOf(path: string, blob: BlobId | null): Promise<Uint8Array | null> {
    const staged = this.#sources.staged.get(path);
    if (staged !== undefined) return staged;
    return blob === null ? null : this.#sources.readBlob(blob);
  }

  /**
   * The first of `files` whose working file is there and is not this blob: the committed one, or the one to be written
   * where nothing is committed. Staged paths are ours and do not count.
   */
  async uncommittedEdit(files: ReadonlyMap<string, BlobId>): Promise<string | null> {
    const others = new Map([...files].filter(([path]) => !this.#sources.staged.has(path)));
    return others.size === 0 ? null : this.#sources.uncommittedEdit(others);
  }
}

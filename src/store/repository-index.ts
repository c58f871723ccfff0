/**
 * The index file as the rest of the store uses it: opened when needed, opened again when somebody deleted it, one
 * writing section at a time in this process.
 */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { AsyncMutex } from './async-mutex.ts';
import { type Index, isIndexDamage, openIndex, removeIndex } from './index/index.ts';

const INDEX_FILE = 'index.sqlite';
const RETRY_MS = 2;

export interface RepositoryIndexOptions {
  /** `false` for one that nobody searches: see `OpenIndexOptions`. @default true */
  readonly searchable?: boolean;
  /** Called before whatever lies at the place is opened, the first time and again; what it throws keeps it closed. */
  readonly beforeOpen?: () => void;
}

export class RepositoryIndex {
  /** Path of the database. */
  readonly file: string;
  readonly #searchable: boolean;
  readonly #beforeOpen: () => void;
  readonly #mutex = new AsyncMutex();
  #writer: Index | null = null;
  #reader: Index | null = null;

  constructor(folder: string, { searchable = true, beforeOpen = () => undefined }: RepositoryIndexOptions = {}) {
    this.file = join(folder, INDEX_FILE);
    this.#searchable = searchable;
    this.#beforeOpen = beforeOpen;
  }

  /** A connection that reads. Never sees an unfinished transaction. */
  reader(): Index {
    if (this.#reader?.isCurrent() === true) return this.#reader;
    this.#reader?.close();
    this.#reader = null;
    this.#beforeOpen();
    // Made by whoever comes first; a reader needs the tables too.
    let reader = openIndex({ file: this.file, readonly: true });
    if (reader === 'absent') {
      // On a connection of its own: this process may be writing on the one of a file that was deleted.
      openIndex({ file: this.file, searchable: this.#searchable }).close();
      reader = openIndex({ file: this.file, readonly: true });
    }
    if (reader === 'absent') throw new Error(`Cannot open the index "${this.file}"`);
    this.#reader = reader;
    return reader;
  }

  /**
   * Runs `section` inside one index transaction and commits it when it answers `commit: true`, else rolls it back.
   * `null` when another process keeps writing the index for `waitMs`.
   */
  async transaction<T>(
    waitMs: number,
    section: (index: Index) => Promise<{ commit: boolean; value: T }>,
  ): Promise<{ value: T } | null> {
    const deadline = performance.now() + waitMs;
    return this.#mutex.run(async () => {
      let index = this.#writable();
      while (!index.begin()) {
        if (performance.now() >= deadline) return null;
        await delay(RETRY_MS);
        index = this.#writable();
      }
      let isDone = false;
      try {
        const { commit, value } = await section(index);
        if (commit) index.commit();
        isDone = commit;
        return { value };
      } finally {
        if (!isDone) index.rollback();
      }
    });
  }

  /** Cuts the write-ahead log; `false` while another connection reads or writes. */
  truncateLog(): Promise<boolean> {
    return this.#mutex.run(async () => this.#writable().truncateLog());
  }

  /** Whether the error means that the file is damaged; then it is gone, and the next use makes a new one. */
  discardIfDamaged(error: unknown): boolean {
    if (!isIndexDamage(error)) return false;
    // Otherwise somebody has replaced the damaged one already.
    if ([this.#reader, this.#writer].some((index) => index?.isCurrent())) removeIndex(this.file);
    return true;
  }

  close(): void {
    this.#writer?.close();
    this.#reader?.close();
    this.#writer = null;
    this.#reader = null;
  }

  #writable(): Index {
    if (this.#writer?.isCurrent() === true) return this.#writer;
    this.#writer?.close();
    this.#writer = null;
    this.#beforeOpen();
    this.#writer = openIndex({ file: this.file, searchable: this.#searchable });
    return this.#writer;
  }
}

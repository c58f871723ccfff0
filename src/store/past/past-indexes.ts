/**
 * Indexes of the record as it stood at earlier times: built when somebody asks, kept a few at a time below
 * `.waymark/past/`, and exact or gone. Like the present one they hold nothing that the repository does not.
 */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { AsyncMutex } from '../async-mutex.ts';
import type { Trust } from '../changed-file.ts';
import { type ChildScript, runScript } from '../child-script.ts';
import { type Index, openIndex, openPastIndex } from '../index/index.ts';
import type { RepositoryIndex } from '../repository-index.ts';
import type { CommitId, VersionStore } from '../version-store.ts';
import { buildPast, EXACT_AT, PAST_INDEX_FILE } from './build.ts';
import { isStillExact } from './still-exact.ts';

export interface PastIndexesOptions {
  readonly root: string;
  readonly store: VersionStore;
  readonly trust: Trust;
  readonly now: () => number;
  readonly index: RepositoryIndex;
  /** Records of up to so many events are read in this process, which blocks it for some milliseconds at a time. @default 400 */
  readonly readHere?: number;
}

/** Each is about as large as the present index. */
const KEPT = 4;
/** Times that may wait for their build. */
const WAITING = 16;
const ATTEMPTS = 5;
const UNFINISHED = 'unfinished-';
/** A build that did not end by then has no living owner. */
const LONGEST_BUILD_MS = 60 * 60_000;

/** Removes what is there of earlier times, also of other processes; who asks next builds anew. */
export function forgetPastIndexes(root: string): void {
  rmSync(folderIn(root), { recursive: true, force: true });
}

export class PastIndexes {
  readonly #options: PastIndexesOptions;
  readonly #folder: string;
  readonly #building = new Map<number, Promise<void>>();
  /** Who asks for many times at once gets them one after the other: each build takes a process and disk of its own. */
  readonly #turns = new AsyncMutex();
  readonly #children = new Set<ChildScript['child']>();
  #isClosed = false;

  constructor(options: PastIndexesOptions) {
    this.#options = options;
    this.#folder = folderIn(options.root);
  }

  /**
   * Reads on one snapshot of the record as it stood at `knownAt` (Unix milliseconds); `null` when there is no present index
   * to tell what became of it, or too many other times are asked for at once.
   */
  async read<T>(knownAt: number, read: (past: Index) => T): Promise<{ readonly value: T } | null> {
    for (let attempt = 1; ; attempt += 1) {
      const commit = this.#options.index.reader().indexedCommit();
      if (commit === null) return null;
      const place = { knownAt, commit, folder: join(this.#folder, String(knownAt)) };
      if (!(await this.#isExact(place))) {
        if (this.#building.size >= WAITING && !this.#building.has(knownAt)) return null;
        await this.#build(knownAt, attempt);
      }
      const past = openPastIndex({ file: join(place.folder, PAST_INDEX_FILE), present: this.#options.index.file });
      // Somebody else may have removed it to make room.
      if (past !== 'absent') {
        try {
          return { value: past.snapshot(() => read(past)) };
        } finally {
          past.close();
        }
      }
      if (attempt === ATTEMPTS) throw new Error('The index of an earlier time is removed as soon as it is built');
    }
  }

  /** Ends builds of other processes; who waits for one gets an error. */
  close(): void {
    this.#isClosed = true;
    for (const child of this.#children) child.kill();
  }

  /** Everybody who asks for one time waits for one build. */
  async #build(knownAt: number, attempt: number): Promise<void> {
    const known =
      this.#building.get(knownAt) ??
      this.#turns.run(() => this.#buildAside(knownAt)).finally(() => this.#building.delete(knownAt));
    this.#building.set(knownAt, known);
    try {
      await known;
    } catch (error) {
      // The folder may have been taken away.
      if (attempt === ATTEMPTS || this.#isClosed) throw error;
    }
  }

  async #buildAside(knownAt: number): Promise<void> {
    if (this.#isClosed) throw new Error('The record is closed');
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const aside = mkdtempSync(join(this.#folder, UNFINISHED));
    const folder = join(this.#folder, String(knownAt));
    try {
      await this.#fill(aside, knownAt);
      this.#makeRoom();
      rmSync(folder, { recursive: true, force: true });
      renameSync(aside, folder);
    } finally {
      rmSync(aside, { recursive: true, force: true });
    }
    // Something may have been erased while it was built, and whoever erased found nothing here to remove.
    const commit = this.#options.index.reader().indexedCommit();
    if (commit !== null) await this.#isExact({ folder, knownAt, commit });
  }

  async #fill(folder: string, knownAt: number): Promise<void> {
    const { root, store, trust, now, index, readHere = 400 } = this.#options;
    const argument = { root, trust, knownAt, folder, present: index.file };
    if (index.reader().counts().events <= readHere) return buildPast({ ...argument, store, now });
    const script = runScript('store/past/past-process', {
      argument: { ...argument, branch: store.branch },
      onProgress: () => undefined,
    });
    this.#children.add(script.child);
    const failure = await script.done;
    this.#children.delete(script.child);
    if (failure !== null) throw new Error('The index of an earlier time could not be built', { cause: failure?.cause });
  }

  /** Whether there is one that holds at the commit; one that does not is removed. */
  async #isExact({ folder, knownAt, commit }: Place): Promise<boolean> {
    const mark = join(folder, EXACT_AT);
    const from = readOrNull(mark);
    if (from === null) return false;
    if (from !== commit && !(await this.#holds({ folder, knownAt, from }, commit))) {
      rmSync(folder, { recursive: true, force: true });
      return false;
    }
    try {
      writeFileSync(mark, commit, { flag: 'r+' });
      return true;
    } catch {
      return false;
    }
  }

  async #holds({ folder, knownAt, from }: Omit<Place, 'commit'> & { from: CommitId }, to: CommitId): Promise<boolean> {
    const past = openIndex({ file: join(folder, PAST_INDEX_FILE), readonly: true });
    if (past === 'absent') return false;
    try {
      return await isStillExact({ past, knownAt, from }, this.#options.store, to);
    } finally {
      past.close();
    }
  }

  #makeRoom(): void {
    const folders = readdirSync(this.#folder).map((name) => join(this.#folder, name));
    const isUnfinished = (path: string) => path.startsWith(join(this.#folder, UNFINISHED));
    const used = (path: string) => statSync(join(path, EXACT_AT), { throwIfNoEntry: false })?.mtimeMs ?? 0;
    const kept = folders.filter((path) => !isUnfinished(path)).sort((a, b) => used(b) - used(a));
    const left = folders.filter(isUnfinished).filter((path) => {
      const made = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
      return Date.now() - made > LONGEST_BUILD_MS;
    });
    for (const path of [...kept.slice(KEPT - 1), ...left]) rmSync(path, { recursive: true, force: true });
  }
}

interface Place {
  readonly folder: string;
  readonly knownAt: number;
  readonly commit: CommitId;
}

function folderIn(root: string): string {
  return join(root, '.waymark', 'past');
}

function readOrNull(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

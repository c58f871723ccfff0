/** Brings the index of a mirror in step with its files. */
import { setImmediate as breathe, setTimeout as delay } from 'node:timers/promises';
import type { FileRow, SkippedLine } from './file-store.ts';
import { type FoundFile, listFiles, type MirrorPlace, reasonOf } from './list-files.ts';
import type { MirrorIndex } from './mirror-index.ts';
import { begin } from './schema.ts';
import { isSettled, type TakeInResult, takeIn } from './take-in.ts';

export interface MirrorState {
  /** Files that are there and regular. */
  readonly files: number;
  /** Lines that are records. */
  readonly records: number;
  /** Those of them that repeat a record. */
  readonly duplicates: number;
  /** Lines that are no records; of these the first of each file. */
  readonly skipped: { readonly total: number; readonly first: readonly SkippedLine[] };
  /** Base names of files, or of the folder, and why. */
  readonly unreadable: readonly { readonly name: string; readonly reason: string }[];
  /** Base names of files whose last line has no newline and is no record yet. */
  readonly unfinished: readonly string[];
  /** There is no such folder, or nothing in it. */
  readonly empty: boolean;
  /** Another process kept the index to itself: what was added lately is not in it. */
  readonly behind: boolean;
}

export interface CatchUpOptions {
  readonly place: MirrorPlace;
  /** Base names of files that do not hold what the index says; taken from the set when they are read again. */
  readonly stale: Set<string>;
  readonly isStopped: () => boolean;
}

/** How long another process may keep the index to itself. Milliseconds. */
const WAIT_MS = 30_000;
const FIRST_WAIT_MS = 1;
const LONGEST_WAIT_MS = 5;
/** After a turn that did not end the work: others try at least as often. */
const PAUSE_MS = LONGEST_WAIT_MS;
/** Bad lines that a state names. */
const NAMED_SKIPS = 10;

/** Looks at every file and reads those that changed. Any number of processes at once; they go on where another stopped. */
export async function catchUp(index: MirrorIndex, { place, stale, isStopped }: CatchUpOptions): Promise<MirrorState> {
  const listing = listFiles(place);
  const rows = new Map(index.files.all().map((row) => [row.name, row]));
  const unreadable = new Map(listing.unreadable);
  let behind = false;

  for (const file of listing.files) {
    const row = rows.get(file.name);
    rows.delete(file.name);
    if (row !== undefined && isSettled(row, file.version) && !stale.has(file.name)) continue;
    const result = await readToEnd(file);
    if (result === 'behind') behind = true;
    else if ('unreadable' in result) unreadable.set(file.name, result.unreadable);
  }
  const gone = listing.isComplete ? [...rows.values()].filter(({ name }) => !unreadable.has(name)) : [];
  if (gone.length > 0 && (await transaction(() => forget(gone))) === null) behind = true;
  return state();

  async function readToEnd(file: FoundFile): Promise<TakeInResult | 'behind'> {
    for (let anew = stale.has(file.name); !isStopped(); anew = false) {
      const result = await transaction(() => takeIn(index, file, { anew, isStopped })).catch(
        // A disk that fails in the middle of a file: the transaction was undone.
        (error: unknown) => ({ unreadable: reasonOf(error) }),
      );
      if (result === null) return 'behind';
      stale.delete(file.name);
      if ('unreadable' in result || result.isDone) return result;
      await delay(PAUSE_MS);
    }
    return 'behind';
  }

  async function forget(files: readonly FileRow[]): Promise<void> {
    for (const { id } of files) {
      while (index.writer.drop(id, 0) > 0) await breathe();
      index.files.remove(id);
    }
    if (index.files.all().length === 0) index.writer.clear();
  }

  /** `null` when another process does not let go. */
  async function transaction<T>(section: () => Promise<T>): Promise<T | null> {
    const deadline = performance.now() + WAIT_MS;
    for (let wait = FIRST_WAIT_MS; !begin(index.db); wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
      if (isStopped() || performance.now() >= deadline) return null;
      // Jitter, so that waiting processes do not try in step.
      await delay(wait * (0.5 + Math.random() / 2));
    }
    try {
      index.writer.start();
      const value = await section();
      index.writer.finish();
      index.db.exec('COMMIT');
      return value;
    } finally {
      if (index.db.inTransaction) index.db.exec('ROLLBACK');
    }
  }

  function state(): MirrorState {
    const rows = index.files.all();
    const sum = (member: 'records' | 'skipped') => rows.reduce((total, row) => total + row[member], 0);
    const records = sum('records');
    return {
      files: listing.files.length,
      records,
      duplicates: records - index.reader.distinctRecords(),
      skipped: { total: sum('skipped'), first: index.files.skips(NAMED_SKIPS) },
      unreadable: [...unreadable].map(([name, reason]) => ({ name, reason })),
      unfinished: rows.filter((row) => row.unfinished === 1).map((row) => row.name),
      empty: rows.length === 0 && unreadable.size === 0,
      behind,
    };
  }
}

/** Reads a whole commit, or a long difference, into the index: events in order first, then thoughts by path. */
import type { EffectiveRevocation } from '../ledger/index.ts';
import type { EventEnvelope } from '../ledger/types.ts';
import { isThoughtLike, TOMBSTONE_KEYS_FILE } from '../record/paths.ts';
import type { ChangedFile, Trust } from './changed-file.ts';
import { claimedLogs, findUncovered } from './covered-logs.ts';
import { type EventCheck, type ReadEvent, readEventOf } from './event-file.ts';
import { isEventFile, readEventsOnThread } from './event-reader.ts';
import { readSignedFrom, settleGoverned } from './governed.ts';
import type { Index, Problem } from './index/index.ts';
import { ingest, ingestThought, isSetting } from './ingest.ts';
import { putOrderProblem, takeEvents } from './ingest-events.ts';
import { orderedEvents } from './ordered-events.ts';
import { isFile, readBatches } from './read-batches.ts';
import type { RebuiltIndex } from './rebuilt-index.ts';
import type { RepositoryIndex } from './repository-index.ts';
import type { BlobId, CommitId, TreeEntry, VersionStore } from './version-store.ts';

export interface ReadOptions {
  /** Root of the repository. */
  readonly root: string;
  readonly store: VersionStore;
  readonly trust: Trust;
  readonly now: () => number;
  /** Whether each signature is checked, or where there is a checkpoint only that it covers the log. */
  readonly signatures: 'each' | 'checkpoint';
  /** Progress, a line each. */
  readonly report: (line: string) => void;
  /** Told of the events as they are read, in order. @default nobody */
  readonly observer?: LedgerObserver;
}

export interface ReindexOptions extends ReadOptions {
  readonly index: RepositoryIndex;
  /** Read everything even if the index could be continued. */
  readonly fromStart: boolean;
}

export interface LedgerObserver {
  /** Reading starts, or starts again: what was told before is void. */
  restart(): void;
  /** @param checks What each event proves by itself, in the same order. */
  take(events: readonly ReadEvent[], checks: readonly EventCheck[]): void;
  /** Files that are no events of the place they stand in. */
  unreadable(problems: readonly Problem[]): void;
}

/** Another process may be reindexing already: wait for it, then see what is left. */
const LONGEST_WAIT_MS = 10 * 60_000;
/** What jj writes into the git tree of a conflicted commit. */
export const CONFLICT_FOLDERS = ['.jjconflict-base-0', '.jjconflict-side-0'];
/** Fewer event files than this are read here: starting a thread costs as much. */
const THREAD_FROM = 5_000;
/** A longer difference than this is no quicker to take in than everything. */
const LONG_DIFFERENCE = 20_000;

export async function reindex(options: ReindexOptions): Promise<void> {
  const { index, store } = options;
  const head = store.head();
  if (head === null) return;
  await index.transaction(LONGEST_WAIT_MS, async (writable) => {
    if (!options.fromStart && writable.indexedCommit() === head) return { commit: false, value: null };
    if (options.fromStart || !(await continueIndex(options, writable, head))) {
      await readCommit(options, writable, head);
    }
    writable.setIndexedCommit(head);
    return { commit: true, value: null };
  });
}

/** Takes in the difference to the indexed commit. `false` when everything must be read. */
async function continueIndex(options: ReindexOptions, index: Index, head: CommitId): Promise<boolean> {
  const { store, trust, now } = options;
  const indexed = index.indexedCommit();
  if (indexed === null) return false;
  const changes = await store.diff(indexed, head).catch(() => null);
  if (changes === null || changes.length > LONG_DIFFERENCE) return false;
  const regular = changes.map(({ path, blob, mode }) => ({ path, blob: isFile(mode) ? blob : null }));
  const files: ChangedFile[] = [];
  for await (const batch of readBatches(store, regular)) files.push(...batch);
  const readPath = (_path: string, blob: BlobId) => store.readBlob(blob);
  const readSigned = readSignedFrom(store);
  return (await ingest(index, files, { trust, now: now(), readPath, readSigned })) === 'done';
}

/** Reads a whole commit into an index, whatever was in it. */
export async function readCommit(options: ReadOptions, index: RebuiltIndex, head: CommitId): Promise<void> {
  const { store, report } = options;
  for (const folder of CONFLICT_FOLDERS) {
    if ((await store.list(head, folder)).length > 0) throw new Error('The branch is a conflicted commit');
  }
  if (!(await readPasses(options, index, { head, signatures: options.signatures }))) {
    report('A checkpoint does not cover its log: every signature is checked');
    await readPasses(options, index, { head, signatures: 'each' });
  }
  const files = (await store.list(head, 'trails')).filter((entry) => isFile(entry.mode));
  const hooks = (await store.list(head, 'hooks')).filter((entry) => isFile(entry.mode));
  await readSettings(store, index, [...files, ...hooks]);
  await settleGoverned(index, index.governedPaths(), readSignedFrom(store));
  let done = 0;
  const thoughts = files.filter((entry) => isThoughtLike(entry.path));
  for await (const batch of readBatches(store, thoughts)) {
    for (const file of batch) ingestThought(index, file);
    done += batch.length;
    report(`Indexed ${done} of ${thoughts.length} thoughts`);
  }
  index.settleSupersession();
}

async function readSettings(store: VersionStore, index: RebuiltIndex, files: readonly TreeEntry[]): Promise<void> {
  const settings = files.filter((entry) => isSetting(entry.path));
  for await (const batch of readBatches(store, settings)) {
    for (const { path, bytes } of batch) index.putSetting(path, bytes);
  }
}

interface Reading {
  readonly head: CommitId;
  readonly signatures: ReindexOptions['signatures'];
}

/** The list of files is gone when this returns: with many events it is most of the memory. */
async function openLedger(options: ReadOptions, index: RebuiltIndex, { head, signatures }: Reading) {
  const { store, now, root } = options;
  const ledger = (await store.list(head, 'ledger')).filter((entry) => isFile(entry.mode));
  await readSettings(store, index, ledger);
  const files = ledger.filter((entry) => isEventFile(entry.path));
  const covered: ReadonlySet<string> = signatures === 'each' ? new Set() : claimedLogs(index, files);
  const batches =
    files.length < THREAD_FROM
      ? orderedEvents(store, files, { now: now(), covered })
      : readEventsOnThread({ root, branch: store.branch, commit: head, now: now(), covered: [...covered] });
  return { covered, count: files.length, batches };
}

/** `false` when a checkpoint that was relied on does not cover its log. */
async function readPasses(options: ReadOptions, index: RebuiltIndex, reading: Reading): Promise<boolean> {
  let known: readonly EffectiveRevocation[] = [];
  for (;;) {
    const read = await readLedger(options, index, { ...reading, known });
    if (read.restart === undefined) return read.isCovered;
    options.report('A revocation voids what counted: the ledger is read again');
    known = read.restart;
  }
}

interface LedgerRead {
  readonly isCovered: boolean;
  readonly restart?: readonly EffectiveRevocation[];
}

/** Empties the index and reads the ledger, as far as these revocations are the only ones known from its start. */
async function readLedger(
  options: ReadOptions,
  index: RebuiltIndex,
  reading: Reading & { readonly known: readonly EffectiveRevocation[] },
): Promise<LedgerRead> {
  const { store, trust, report } = options;
  const { head } = reading;
  index.clear();
  options.observer?.restart();
  for (const revocation of reading.known) index.putRevocation(revocation);
  for (const path of ['config.yaml', 'keys.yaml', TOMBSTONE_KEYS_FILE])
    index.putSetting(path, await store.readPath(head, path));
  const { covered, count, batches } = await openLedger(options, index, reading);
  let done = 0;
  for await (const { events, unreadable } of batches) {
    for (const problem of unreadable) index.putProblem(problem);
    options.observer?.unreadable(unreadable);
    const read = events.map(({ path, text, hash, leaf }) =>
      readEventOf({ path, text, hash, leaf, envelope: envelopeOf(text) }),
    );
    options.observer?.take(read, events);
    const { restart } = takeEvents(index, read, { checks: events, owner: trust.owner });
    if (restart !== undefined) return { isCovered: true, restart };
    for (const { path, problem } of events) if (problem !== null) putOrderProblem(index, path, problem);
    done += events.length;
    report(`Read ${done} of ${count} events`);
  }
  return { isCovered: findUncovered(index, covered, trust) === null };
}

/** A line that was read as an event before. */
function envelopeOf(text: string): EventEnvelope {
  return JSON.parse(text);
}

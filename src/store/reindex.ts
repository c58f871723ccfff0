/** Reads a whole commit, or a long difference, into the index: events in order first, then thoughts by path. */
import { orderEvents } from '../ledger/index.ts';
import { isThoughtLike } from '../record/paths.ts';
import { isConflictTree } from './catch-up.ts';
import type { ChangedFile, Trust } from './changed-file.ts';
import type { Index } from './index/index.ts';
import { ingest, ingestThought } from './ingest.ts';
import { readEvent, takeEvents } from './ingest-events.ts';
import type { RepositoryIndex } from './repository-index.ts';
import type { BlobId, CommitId, TreeEntry, VersionStore } from './version-store.ts';

export interface ReindexOptions {
  readonly index: RepositoryIndex;
  readonly store: VersionStore;
  readonly trust: Trust;
  readonly now: () => number;
  /** Read everything even if the index could be continued. */
  readonly fromStart: boolean;
  /** Progress, a line each. */
  readonly report: (line: string) => void;
}

/** Another process may be reindexing already: wait for it, then see what is left. */
const LONGEST_WAIT_MS = 10 * 60_000;
const BATCH = 512;
/** A longer difference than this is no quicker to take in than everything. */
const LONG_DIFFERENCE = 20_000;

export async function reindex(options: ReindexOptions): Promise<void> {
  const { index, store } = options;
  const head = store.head();
  if (head === null) return;
  await index.transaction(LONGEST_WAIT_MS, async (writable) => {
    if (!options.fromStart && writable.indexedCommit() === head) return { commit: false, value: null };
    if (options.fromStart || !(await continueIndex(options, writable, head))) {
      await readAll(options, writable, head);
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
  return (await ingest(index, files, { trust, now: now(), readPath })) === 'done';
}

async function readAll(options: ReindexOptions, index: Index, head: CommitId): Promise<void> {
  const { store, report } = options;
  index.clear();
  const tree = await store.list(head, '');
  if (tree.some((entry) => isConflictTree(entry.path))) throw new Error('The branch is a conflicted commit');
  const files = tree.filter((entry) => isFile(entry.mode));
  const settings = files.filter((entry) =>
    /^(?:config|keys)\.yaml$|\/checkpoint$|\.fava-trails\.yaml$/.test(entry.path),
  );
  for await (const batch of readBatches(store, settings)) {
    for (const { path, bytes } of batch) index.putSetting(path, bytes);
  }
  const events = files.filter((entry) => entry.path.startsWith('ledger/') && entry.path.endsWith('.jsonl'));
  await readEvents(options, index, events);
  let done = 0;
  const thoughts = files.filter((entry) => isThoughtLike(entry.path));
  for await (const batch of readBatches(store, thoughts)) {
    for (const file of batch) ingestThought(index, file);
    done += batch.length;
    report(`Indexed ${done} of ${thoughts.length} thoughts`);
  }
  index.settleSupersession();
}

/** Two passes: what orders the events, then the events in that order, so that memory does not grow with their text. */
async function readEvents(options: ReindexOptions, index: Index, events: readonly TreeEntry[]): Promise<void> {
  const { store, trust, now, report } = options;
  const links: Link[] = [];
  for await (const batch of readBatches(store, events)) {
    for (const file of batch) {
      for (const { hash, timestamp, prev, seen } of readEvent(index, file)) {
        links.push({ hash, timestamp, prev, seen, path: file.path, blob: file.blob });
      }
    }
  }
  const { ordered, problems } = orderEvents(links);
  const readPath = (_path: string, blob: BlobId) => store.readBlob(blob);
  let done = 0;
  for await (const batch of readBatches(store, ordered)) {
    takeEvents(
      index,
      batch.flatMap((file) => readEvent(index, file)),
      { trust, now: now(), readPath },
    );
    done += batch.length;
    report(`Read ${done} of ${events.length} events`);
  }
  const pathOf = new Map(links.map((link) => [link.hash, link.path]));
  for (const { hash, code } of problems) {
    const path = pathOf.get(hash) ?? '';
    index.putProblem({ path, line: 1, code: `event_${code}`, message: `The ledger has a gap or a fault: ${code}` });
  }
}

interface Link {
  readonly hash: string;
  readonly timestamp: number;
  readonly prev: string | null;
  readonly seen: string | null;
  readonly path: string;
  readonly blob: BlobId | null;
}

async function* readBatches(
  store: VersionStore,
  files: readonly { readonly path: string; readonly blob: BlobId | null }[],
): AsyncGenerator<readonly ChangedFile[]> {
  for (let from = 0; from < files.length; from += BATCH) {
    const batch = files.slice(from, from + BATCH);
    const blobs = batch.flatMap((file) => (file.blob === null ? [] : [file.blob]));
    const contents = store.readBlobs(blobs)[Symbol.asyncIterator]();
    const read: ChangedFile[] = [];
    for (const { path, blob } of batch) {
      const bytes = blob === null ? null : ((await contents.next()).value as Uint8Array);
      read.push({ path, blob, bytes });
    }
    yield read;
  }
}

function isFile(mode: string | null): boolean {
  return mode === '100644' || mode === '100755';
}

/**
 * Brings the index in step with the branch after commits that other processes or people made.
 *
 * One index transaction, applied only if the indexed commit is still the one it started from. A small difference is
 * taken in here; a large one is left to a process of its own (`reindex-process.ts`), so that the service answers
 * meanwhile.
 */
import { parseEventPath } from '../ledger/index.ts';
import type { Trust } from './changed-file.ts';
import { ingest } from './ingest.ts';
import { type RememberOptions, rememberLogs, tailsOf } from './remember-logs.ts';
import type { RepositoryIndex } from './repository-index.ts';
import type { ChangedPath, CommitId, VersionStore } from './version-store.ts';

/** More changed paths than this are not taken in on a caller's time. */
const SMALL_CATCH_UP = 200;

export interface CatchUpSources extends RememberOptions {
  readonly index: RepositoryIndex;
  readonly store: VersionStore;
  readonly trust: Trust;
  readonly now: () => number;
}

/**
 * - `in_step`: the index is at the branch's commit.
 * - `large`: too much changed, or the ledger must be read from its start.
 * - `busy`: another process writes the index.
 * - `conflict`: the commit is a jj conflict, whose trees are not the record.
 */
export type CatchUpResult = 'in_step' | 'large' | 'busy' | 'conflict';

export async function catchUp(sources: CatchUpSources, waitMs: number): Promise<CatchUpResult> {
  const { index, store } = sources;
  const head = store.head();
  const indexed = index.reader().indexedCommit();
  if (head === indexed || head === null) return 'in_step';
  // A rebuild that lacks its start commit (rewritten history, cleaned objects) begins anew.
  const changes = indexed === null ? null : await store.diff(indexed, head).catch(() => null);
  if (changes === null || changes.length > SMALL_CATCH_UP)
    return indexed === null ? small(sources, head, waitMs) : 'large';
  return take(sources, { from: indexed, to: head, changes, waitMs });
}

/** A young repository is indexed on the spot. */
async function small(sources: CatchUpSources, head: CommitId, waitMs: number): Promise<CatchUpResult> {
  const changes = await sources.store.diff(null, head);
  return changes.length > SMALL_CATCH_UP ? 'large' : take(sources, { from: null, to: head, changes, waitMs });
}

interface Span {
  readonly from: CommitId | null;
  readonly to: CommitId;
  readonly changes: readonly ChangedPath[];
  readonly waitMs: number;
}

async function take(sources: CatchUpSources, span: Span): Promise<CatchUpResult> {
  const { store, trust, now } = sources;
  if (span.changes.some((change) => isConflictTree(change.path))) return 'conflict';
  const files = await readChanges(store, span.changes);
  const done = await sources.index.transaction<CatchUpResult>(span.waitMs, async (index) => {
    if (index.indexedCommit() !== span.from) return { commit: false, value: 'busy' };
    const readPath = (_path: string, blob: string) => store.readBlob(blob);
    const before = tailsOf(index, logsOf(span.changes));
    const result = await ingest(index, files, { trust, now: now(), readPath });
    if (result === 'rebuild') return { commit: false, value: 'large' };
    // Before the index commits: a memory ahead of the index is still one of the branch.
    rememberLogs(index, before, sources);
    index.setIndexedCommit(span.to);
    return { commit: true, value: 'in_step' };
  });
  return done?.value ?? 'busy';
}

function logsOf(changes: readonly ChangedPath[]): ReadonlySet<string> {
  return new Set(changes.flatMap(({ path }) => parseEventPath(path)?.log ?? []));
}

/** What jj writes into the git tree of a conflicted commit. */
function isConflictTree(path: string): boolean {
  return path.startsWith('.jjconflict-');
}

/** Bytes of the changed regular files; links and submodules count as gone, since no thought is one. */
async function readChanges(store: VersionStore, changes: readonly ChangedPath[]) {
  const wanted = changes.filter((change) => /^(?:ledger|trails|hooks)\/|^(?:config|keys)\.yaml$/.test(change.path));
  const regular = wanted.flatMap(({ path, blob, mode }) =>
    blob !== null && (mode === '100644' || mode === '100755') ? [{ path, blob }] : [],
  );
  const bytes = new Map<string, Uint8Array>();
  let at = 0;
  for await (const content of store.readBlobs(regular.map((file) => file.blob))) {
    const file = regular[at++];
    if (file !== undefined) bytes.set(file.path, content);
  }
  return wanted.map(({ path, blob }) => {
    const content = bytes.get(path) ?? null;
    return { path, blob: content === null ? null : blob, bytes: content };
  });
}

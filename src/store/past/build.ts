/**
 * Builds an index of the record as it stood at an earlier time, out of the events of then.
 *
 * The same code takes events in and judges them as for the present, with only those before it that were recorded then: so
 * status, replacement, settings and tombstones are as they were, and a key that was revoked since counts as it did. What
 * no event speaks of was never recorded, and is not in it.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isThoughtLike, parseTombstonePath } from '../../record/paths.ts';
import { readSignedFrom, settleGoverned } from '../governed.ts';
import { type Index, type IndexedEvent, openIndex } from '../index/index.ts';
import { ingestThought } from '../ingest.ts';
import { type ReadOptions, readPasses } from '../reindex.ts';
import type { CommitId } from '../version-store.ts';
import { filesOfThen, type WantedFile } from './files-of-then.ts';
import { erasedSince, skeletonRows } from './skeletons.ts';

/** Code of the problem that a file of then is nowhere in the history of this clone. */
export const LOST_TEXT = 'lost_text';
export const PAST_INDEX_FILE = 'index.sqlite';

/** Names the commit that an index was built from, or found exact at last. */
export const EXACT_AT = 'exact-at';

export interface BuildPastOptions extends Omit<ReadOptions, 'signatures' | 'observer' | 'report' | 'erasuresSince'> {
  /** Empty folder for the index. */
  readonly folder: string;
  readonly knownAt: number;
  /** File of the present index, which says what was erased since. */
  readonly present: string;
}

interface Replay extends BuildPastOptions, Present {
  /** The index that is built. */
  readonly index: Index;
}

/** What the present index says, at one moment: it may move on while this is built. */
interface Present {
  /** The commit whose ledger and history are read. */
  readonly commit: CommitId;
  readonly erasures: readonly IndexedEvent[];
  /** Governed files that are there. */
  readonly governed: ReadonlySet<string>;
}

/** Builds it as the ledger at the commit of the present index has it. Throws when that is gone. */
export async function buildPast(options: BuildPastOptions): Promise<void> {
  const present = readPresent(options.present);
  const index = openIndex({ file: join(options.folder, PAST_INDEX_FILE) });
  try {
    index.begin();
    await replay({ ...options, ...present, index });
    index.setIndexedCommit(present.commit);
    index.commit();
  } finally {
    index.rollback();
    index.close();
  }
  writeFileSync(join(options.folder, EXACT_AT), present.commit);
}

function readPresent(file: string): Present {
  const present = openIndex({ file, readonly: true });
  if (present === 'absent') throw new Error('The present index is gone');
  try {
    return present.snapshot(() => {
      const commit = present.indexedCommit();
      if (commit === null) throw new Error('The present index is empty');
      const governed = present.governedPaths().filter((path) => present.setting(path) !== null);
      return { commit, erasures: present.validEventsOf('erase'), governed: new Set(governed) };
    });
  } finally {
    present.close();
  }
}

async function replay(options: Replay): Promise<void> {
  const { commit, index, erasures } = options;
  // A checkpoint covers the log of now, so each signature of then is looked at.
  const erasuresSince = erasures.map(({ hash }) => hash);
  await readPasses({ ...options, erasuresSince, signatures: 'each', report: () => undefined }, index, {
    head: commit,
    signatures: 'each',
  });
  await replaySettings(options);
  const times = { past: index, erasures };
  await replayThoughts(options, erasedSince(times));
  for (const row of skeletonRows(times)) index.putThought(row);
}

async function replaySettings({ store, commit, index, governed }: Replay): Promise<void> {
  // A tombstone that is gone may hold a quick digest of a text that was erased since; what it kept out, nobody asks.
  const paths = index.governedPaths().filter((path) => parseTombstonePath(path) === null || governed.has(path));
  for (const path of paths) index.putSetting(path, await store.readPath(commit, path));
  await settleGoverned(index, paths, readSignedFrom(store));
  // What a file says now is not of then; what was signed then is.
  for (const path of ['config.yaml', 'keys.yaml', ...paths]) {
    index.putSetting(path, index.governed(path)?.bytes ?? null);
  }
}

async function replayThoughts(options: Replay, erased: ReadonlySet<string>): Promise<void> {
  const { index } = options;
  const wanted = [...index.pathsWithEvents()].flatMap((path) => wantedFile(index, path) ?? []);
  const missing = new Set(wanted.map(({ path }) => path));
  for await (const file of filesOfThen(wanted, options)) {
    missing.delete(file.path);
    ingestThought(index, file);
  }
  for (const path of missing) {
    const message = 'Its text of then is nowhere in the history of this clone';
    index.putProblem({ path, line: 1, code: LOST_TEXT, message });
  }

  function wantedFile(past: Index, path: string): WantedFile | null {
    const last = isThoughtLike(path) ? past.lastEventOfPath(path) : null;
    const nonce = last?.event.envelope._local?.nonce;
    if (last === null || nonce === undefined || last.change.after === null) return null;
    // No text that was erased is looked for, also where history still holds it.
    return erased.has(last.change.thought_id ?? '') ? null : { path, nonce, after: last.change.after };
  }
}

/**
 * Builds an index of the record as it stood at an earlier time, out of the events of then.
 *
 * The same code takes events in and judges them as for the present, with only those before it that were recorded then: so
 * status, replacement, settings and tombstones are as they were, and a key that was revoked since counts as it did. What
 * no event speaks of was never recorded, and is not in it.
 */
import { join } from 'node:path';
import { isThoughtLike } from '../../record/paths.ts';
import { readSignedFrom, settleGoverned } from '../governed.ts';
import { type Index, openIndex } from '../index/index.ts';
import { ingestThought } from '../ingest.ts';
import { type ReadOptions, readPasses } from '../reindex.ts';
import type { CommitId } from '../version-store.ts';
import { filesOfThen, type WantedFile } from './files-of-then.ts';
import { erasedSince, skeletonRows } from './skeletons.ts';

/** Code of the problem that a file of then is nowhere in the history of this clone. */
export const LOST_TEXT = 'lost_text';
export const PAST_INDEX_FILE = 'index.sqlite';

export interface BuildPastOptions extends Omit<ReadOptions, 'signatures' | 'observer' | 'report' | 'erasuresSince'> {
  /** Empty folder for the index. */
  readonly folder: string;
  /** The commit whose ledger and history are read; the present index stands at it. */
  readonly commit: CommitId;
  readonly knownAt: number;
  /** File of the present index, which says what was erased since. */
  readonly present: string;
}

/** Throws when the present index stands elsewhere or is gone; the folder is then of no use. */
export async function buildPast(options: BuildPastOptions): Promise<void> {
  const present = openIndex({ file: options.present, readonly: true });
  if (present === 'absent') throw new Error('The present index is gone');
  const index = openIndex({ file: join(options.folder, PAST_INDEX_FILE) });
  try {
    index.begin();
    await replay(options, { index, present });
    if (present.indexedCommit() !== options.commit) throw new Error('The present index moved on');
    index.setIndexedCommit(options.commit);
    index.commit();
  } finally {
    index.rollback();
    index.close();
    present.close();
  }
}

async function replay(options: BuildPastOptions, { index, present }: { index: Index; present: Index }): Promise<void> {
  const { commit } = options;
  // A checkpoint covers the log of now, so each signature of then is looked at.
  const erasuresSince = present.validEventsOf('erase').map(({ hash }) => hash);
  await readPasses({ ...options, erasuresSince, signatures: 'each', report: () => undefined }, index, {
    head: commit,
    signatures: 'each',
  });
  await replaySettings(options, index);
  await replayThoughts(options, { index, erased: erasedSince({ past: index, present }) });
  for (const row of skeletonRows({ past: index, present })) index.putThought(row);
}

async function replaySettings({ store, commit }: BuildPastOptions, index: Index): Promise<void> {
  const paths = index.governedPaths();
  for (const path of paths) index.putSetting(path, await store.readPath(commit, path));
  await settleGoverned(index, paths, readSignedFrom(store));
  // What a file says now is not of then; what was signed then is.
  for (const path of ['config.yaml', 'keys.yaml', ...paths]) {
    index.putSetting(path, index.governed(path)?.bytes ?? null);
  }
}

async function replayThoughts(
  options: BuildPastOptions,
  { index, erased }: { readonly index: Index; readonly erased: ReadonlySet<string> },
): Promise<void> {
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

/** Publishes one group of operations under the lock: decide and sign, intent, commit, working files. */
import { type Refusal, refuse } from '../record/outcome.ts';
import { type GroupSources, type OperationOutcome, prepareGroup } from './group.ts';
import type { Index } from './index/index.ts';
import { removeIntent, writeIntent } from './intent.ts';
import { rememberTail } from './remember-logs.ts';
import { storageMessage } from './storage-error.ts';
import type { ChangeSet, CommitId, PublishOptions, PublishResult } from './version-store.ts';
import type { Operation, Step } from './writer.ts';
import { MEND, uncertain } from './writer-refusals.ts';

export interface PublishGroupSources extends GroupSources {
  /** `.waymark` */
  readonly privateFolder: string;
  /** Tests stop here. */
  readonly onStep?: (step: Step) => void | Promise<void>;
  readonly warn: (message: string, cause: unknown) => void;
}

export type GroupResult =
  /** The branch moved: the group must be decided anew. */
  | { readonly kind: 'moved' }
  /** All of them are refused. */
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  /** Nothing was to be changed. */
  | { readonly kind: 'unchanged'; readonly outcomes: readonly OperationOutcome[] }
  | {
      readonly kind: 'published';
      readonly outcomes: readonly OperationOutcome[];
      readonly head: CommitId;
      /** Working files are in step, so the intent can go. */
      readonly settled: boolean;
      /** The index must be made anew. */
      readonly stale: boolean;
    };

/** Runs in an index transaction. What it throws was thrown before the branch could move. */
export async function publishGroup(
  sources: PublishGroupSources,
  index: Index,
  operations: readonly Operation<unknown>[],
): Promise<GroupResult> {
  const { onStep, privateFolder, store } = sources;
  const head = index.indexedCommit();
  if (head !== store.head()) return { kind: 'moved' };
  const prepared = await prepareGroup(sources, index, { head, operations });
  const { changes, outcomes } = prepared;
  if (changes.commits.length === 0) return { kind: 'unchanged', outcomes };
  const unwritten = await tryWriteIntent(sources, changes);
  if (unwritten !== null) return refused(unwritten);
  await onStep?.('intent');
  const options: PublishOptions = onStep === undefined ? {} : { onStep };
  const published = await publish(sources, changes, options);
  if (!published.ok) {
    if (published.code === 'uncertain') return { kind: 'refused', refusal: uncertain(published.message) };
    await removeIntent(privateFolder);
    if (published.code === 'failed' && published.output) sources.warn('The commit could not be made', published.output);
    return published.code === 'moved' ? { kind: 'moved' } : refused(published.message);
  }
  const settled = await settleFiles(sources, changes, options);
  for (const tail of prepared.tails.values()) rememberTail(tail, sources);
  return { kind: 'published', outcomes, head: published.head, settled, stale: prepared.stale };
}

function refused(message: string): GroupResult {
  return { kind: 'refused', refusal: refuse('storage', `The commit could not be made: ${message}`, { next: MEND }) };
}

/** Why the intent could not be written, `null` when it was. */
async function tryWriteIntent({ privateFolder, store }: PublishGroupSources, changes: ChangeSet) {
  const { branch, kind } = store;
  try {
    const children = await store.children();
    await writeIntent(privateFolder, { version: 1, branch, kind, changes, children });
    return null;
  } catch (error) {
    const message = storageMessage(error);
    if (message === null) throw error;
    return message;
  }
}

/** An error in the middle leaves the intent, from which the next writer learns what became of it. */
async function publish(
  { store, warn }: PublishGroupSources,
  changes: ChangeSet,
  options: PublishOptions,
): Promise<PublishResult | { readonly ok: false; readonly code: 'uncertain'; readonly message: string }> {
  try {
    return await store.publish(changes, options);
  } catch (error) {
    const message = storageMessage(error);
    if (message === null) throw error;
    warn('It is not known whether the commit was made', error);
    return { ok: false, code: 'uncertain', message };
  }
}

/** `false` when working files could not be written: the commit stands and the intent stays for the next writer. */
async function settleFiles(sources: PublishGroupSources, changes: ChangeSet, options: PublishOptions) {
  try {
    await sources.store.settle(changes, options);
    return true;
  } catch (error) {
    sources.warn('Working files are behind the branch; the next write brings them up', error);
    return false;
  }
}

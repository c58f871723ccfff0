/**
 * Takes the text of an erased thought out of this repository's history too: every commit that held a version of it is made
 * anew with what is there now, one signed event names both heads, and every object is looked at afterwards.
 */
import { join } from 'node:path';
import { eventPath, logNameOf, rememberHistory, seenHistory } from '../../ledger/index.ts';
import { decodeThought } from '../../record/codec/index.ts';
import { type Outcome, ok, type Refusal, refuse } from '../../record/outcome.ts';
import { soughtText } from '../../record/sought-text.ts';
import {
  checkPurgeable,
  dropOldHistory,
  type GitLocation,
  locateRepository,
  remoteNames,
  removePurgeNote,
  type SwappedHistory,
  searchObjects,
  swapHistory,
} from '../../store/git/index.ts';
import { readIntent } from '../../store/intent.ts';
import { checkNothingBeside, forgetOldOperations, withJj } from '../../store/jj/index.ts';
import { acquireLock } from '../../store/lock.ts';
import { checkOperator } from '../guard.ts';
import type { Located } from '../locate.ts';
import { type OpenOptions, type OpenRecord, openRecord } from '../open.ts';
import type { Session } from '../session.ts';
import { write } from '../write.ts';
import { saysErased } from './erased-thought.ts';

export interface PurgeOptions {
  readonly located: Located;
  readonly open: OpenOptions;
  readonly thought_id: string;
  /** The person's session on a record that was just opened. */
  readonly session: (record: OpenRecord) => Session;
  /** Progress, a line each. */
  readonly report: (line: string) => void;
}

export interface PurgeResult {
  readonly status: 'ok' | 'left';
  /** `null` when the branch's history held nothing of it any more. */
  readonly heads: { readonly old_head: string; readonly new_head: string } | null;
  /** Commits and tags that were made anew. */
  readonly rewritten: number;
  /** Of them those that lost a signature. */
  readonly unsigned: number;
  /** Refs that were moved, and tracking refs of remotes that were dropped. */
  readonly refs: { readonly moved: readonly string[]; readonly dropped: readonly string[] };
  /** Objects of this repository that still hold the text. */
  readonly left: readonly { readonly object: string; readonly path?: string; readonly commit?: string }[];
  /** Who else has it, and what to run there. */
  readonly notes: readonly string[];
}

interface Plan {
  readonly root: string;
  readonly branch: string;
  readonly kind: 'git' | 'jujutsu';
  readonly seenFolder: string;
  readonly scope: string;
  readonly replacements: ReadonlyMap<string, Uint8Array>;
}

/** Operator only. The record must not be open in this process. */
export async function purgeHistory(options: PurgeOptions): Promise<Outcome<PurgeResult>> {
  const planned = await withOpened(options, (record, session) => planOf(record, session, options.thought_id));
  if (!planned.ok) return planned;
  const plan = planned.value;
  const located = await locateRepository(plan.root);
  if (!located.ok) return located;
  const location = located.value;
  const plain = await checkPurgeable(location);
  if (!plain.ok) return plain;
  const swapped = await locked(plan, () => swap(location, plan, options));
  if (!swapped.ok) return swapped;
  const { heads, ids } = swapped.value;
  const seen = seenHistory(plan.seenFolder);
  const seenNow = seen === null ? undefined : ids.get(seen);
  // What was found sound stays sound: other texts at some paths, which the erasure's event stands for.
  if (seenNow !== undefined) rememberHistory(plan.seenFolder, seenNow);
  if (heads !== null) {
    const noted = await withOpened(options, (record, session) => writeEvent(record, session, { plan, heads, options }));
    if (!noted.ok) return noted;
  }
  return locked(plan, async () => {
    const dropped = await dropOldHistory(location, ids);
    const left = await leftOf(location, swapped.value, options.report);
    await removePurgeNote(join(plan.root, '.waymark'));
    const remotes = await remoteNames(location);
    return ok(resultOf(plan, { swapped: swapped.value, dropped, left, remotes }));
  });
}

async function swap(
  location: GitLocation,
  plan: Plan,
  { open, report }: PurgeOptions,
): Promise<Outcome<SwappedHistory>> {
  const { root, branch, replacements } = plan;
  const how = { branch, state: join(root, '.waymark'), replacements, report };
  if (plan.kind === 'git') return ok(await swapHistory(location, how));
  return withJj({ root, branch, variables: open.env }, async (run) => {
    const beside = await checkNothingBeside(run, branch);
    if (!beside.ok) return beside;
    const swapped = await swapHistory(location, how);
    const problem = await forgetOldOperations(run, branch);
    if (problem === null) return ok(swapped);
    return refuse('storage', 'The history is made anew, and jj still remembers the old one', {
      next: 'Look at the log, then run the same command again: it goes on from here',
      details: { said: problem },
    });
  });
}

async function planOf(record: OpenRecord, session: Session, id: string): Promise<Outcome<Plan>> {
  const { principal } = await session.context();
  const refused = checkOperator('Rewriting history', principal);
  if (refused !== null) return refused;
  const { repository } = record;
  const { value: found } = await repository.read((index) => {
    const [row] = index.thoughtById(id);
    if (row === undefined || !row.held || !saysErased(row.thought)) return null;
    const events = index.eventsOfThought(id).map(({ envelope }) => envelope);
    return { row, events };
  });
  if (found === null) return notErased();
  const { row, events } = found;
  const { store } = repository;
  const head = store.head();
  const skeleton = head === null ? null : await store.readPath(head, row.path);
  if (head === null || skeleton === null) return notErased();
  const replacements = new Map<string, Uint8Array>([[row.path, skeleton]]);
  for (const { record, _local: local } of events) {
    for (const file of local?.files ?? []) if (file.thought_id === id) replacements.set(file.path, skeleton);
    if (local?.erased_by === undefined || record.waymark === undefined) continue;
    const path = eventPath(logNameOf(record.creator_key), record.waymark.seq);
    const bytes = await store.readPath(head, path);
    if (bytes !== null) replacements.set(path, bytes);
  }
  const { root } = repository;
  const { seenFolder } = record;
  return ok({ root, branch: store.branch, kind: store.kind, seenFolder, scope: row.scope, replacements });
}

function notErased(): Outcome<never> {
  return refuse('conflict', 'The thought is not erased, so its history stays', {
    next: 'Run "waymark erase" on it first',
  });
}

async function writeEvent(
  record: OpenRecord,
  session: Session,
  at: { plan: Plan; heads: NonNullable<SwappedHistory['heads']>; options: PurgeOptions },
): Promise<Outcome<null>> {
  const { plan, heads, options } = at;
  await record.repository.settleIndex(options.report);
  const context = await session.context();
  const { thought_id } = options;
  const { scope } = plan;
  const call = { verb: 'purge', input: { thought_id, ...heads }, idempotencyKey: undefined };
  return write<null>(context, call, async (draft) => {
    // An earlier run may have got as far as this.
    const isSaid = draft.index
      .eventsOfThought(thought_id)
      .some(({ envelope: { _local: local } }) => local?.verb === 'purge' && local.purge?.new_head === heads.new_head);
    if (isSaid) return ok({ events: [], answer: null });
    const local = { scope, thought_id, purge: heads };
    const message = `Purge the history of thought ${thought_id}`;
    return ok({ events: [{ verb: 'purge', informed_by: [], local, files: [] }], message, answer: null });
  });
}

async function leftOf(
  location: GitLocation,
  { replaced, texts }: SwappedHistory,
  report: PurgeOptions['report'],
): Promise<PurgeResult['left']> {
  const bodies = texts.flatMap((bytes) => {
    const decoded = decodeThought(bytes);
    return decoded.ok && decoded.thought.body.trim() !== '' ? [decoded.thought.body.trim()] : [];
  });
  const sought = [...new Set(bodies)].map((body) => soughtText(body, { exact: true }));
  const { hits } = await searchObjects(location, {
    look: ({ id, bytes }) => (replaced.has(id) || sought.some((text) => text.isIn(bytes)) ? true : null),
    report,
  });
  return hits.flatMap(({ object, places }) =>
    places.length === 0 ? [{ object }] : places.map((place) => ({ object, ...place })),
  );
}

function resultOf(
  { branch }: Plan,
  at: {
    swapped: SwappedHistory;
    dropped: readonly string[];
    left: PurgeResult['left'];
    remotes: readonly string[];
  },
): PurgeResult {
  const { swapped, dropped, left, remotes } = at;
  return {
    status: left.length === 0 ? 'ok' : 'left',
    heads: swapped.heads,
    rewritten: swapped.ids.size,
    unsigned: swapped.unsigned,
    refs: { moved: swapped.refs, dropped },
    left,
    notes: [
      ...remotes.map(
        (name) =>
          `Remote "${name}" still has it: run "git push --force ${name} ${branch}", and ask its host to collect garbage`,
      ),
      'Clones, backups and exports elsewhere still have it: whoever has a clone must make it anew, since a pull would join both histories',
    ],
  };
}

/** Opens the record for `work` and closes it, so that no process of ours holds the history while it is made anew. */
async function withOpened<T>(
  { located, open, session: sessionOn }: PurgeOptions,
  work: (record: OpenRecord, session: Session) => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  const opened = await openRecord(located, open);
  if (!opened.ok) return opened;
  const record = opened.value;
  const session = sessionOn(record);
  try {
    return await work(record, session);
  } finally {
    await session.close();
    await record.repository.close();
  }
}

/** Holds the writer lock, which is nobody's in this process while the record is closed. */
async function locked<T>({ root }: Plan, work: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
  const state = join(root, '.waymark');
  const taken = await acquireLock({ file: join(state, 'lock.sqlite'), holder: 'purge' });
  if (!taken.ok) {
    return refuse('busy', 'Another process writes to the record', { next: 'Stop it, then run the same command again' });
  }
  try {
    const begun = await readIntent(state);
    return begun === null ? await work() : cutOff();
  } finally {
    taken.lock.release();
  }
}

/** The commit that a dead writer was about to make names the old history. */
function cutOff(): Refusal {
  return refuse('busy', 'A write was cut off and is not finished yet', {
    next: 'Save or decide anything, which finishes it, then run the same command again',
  });
}

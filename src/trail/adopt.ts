/**
 * Brings a FAVA data repository, or what was committed to a record without an event, under the ledger.
 *
 * No thought file is rewritten: an operator signs for the committed bytes as they are, and what FAVA 0.7 and later make
 * of them (fava.md 3.1) is what the index makes of them too. Every transaction leaves a whole record, so an adoption
 * that was cut off goes on with the same command.
 */
import { realpathSync } from 'node:fs';
import { type Outcome, ok, type Refusal, refuse } from '../record/outcome.ts';
import type { Trust } from '../store/changed-file.ts';
import { holdFavaLock } from '../store/fava/lock.ts';
import { moveBookmark } from '../store/jj/index.ts';
import { isFile } from '../store/read-batches.ts';
import { beginRecord } from './adoption/begin.ts';
import { bringInSettings, bringInThoughts } from './adoption/bring-in.ts';
import { collect } from './adoption/candidates.ts';
import { describe } from './adoption/describe.ts';
import { type Found, look, openAdoptedStore } from './adoption/look.ts';
import { preview, statusBefore } from './adoption/preview.ts';
import { recover } from './adoption/recovery.ts';
import { type AdoptRecord, type AdoptReport, countsOf } from './adoption/report.ts';
import { makeScratchIndex } from './adoption/scratch-index.ts';
import { type SettingsFiles, settingsFiles } from './adoption/settings-files.ts';
import type { FavaRepository, Located } from './locate.ts';
import { checkNeverPinned, type OpenOptions, type OpenRecord, openRecord } from './open.ts';
import { Session, type SessionOptions } from './session.ts';
import { storageRefusal } from './storage-refusal.ts';

export type { AdoptRecord, AdoptReport, Becomes } from './adoption/report.ts';

export interface AdoptOptions {
  readonly open: OpenOptions;
  /** Writes nothing at all: no key, no file, no index. */
  readonly dryRun: boolean;
  /** Only what differs from its signed version by line ends or a byte order mark. */
  readonly eol: boolean;
  /** Who signs, once the record is open. */
  readonly person: (record: OpenRecord) => string;
  readonly askPassphrase?: SessionOptions['askPassphrase'];
  /** Progress, a line each. */
  readonly report: (line: string) => void;
}

/** Nothing counts before there is an owner. */
const NOBODY: Trust = { repositoryId: '', owner: '' };

export async function adopt(
  repository: Located | FavaRepository,
  options: AdoptOptions,
): Promise<Outcome<AdoptReport>> {
  const root = realpathSync(repository.root);
  const known = repository.waymark === undefined ? checkNeverPinned(root, options.open.environment) : null;
  if (known !== null) return known;
  if (options.eol && repository.waymark === undefined) return notYetAdopted(root);
  const lock = await holdFavaLock(root, { create: !options.dryRun });
  if (!lock.held) {
    return refuse('busy', 'FAVA Trails is at work in this repository: it holds ".jj/fava-governance.lock"', {
      next: 'Stop its server, or wait until its change is done, then run "waymark adopt" again',
      details: { fault: 'fava_lock' },
    });
  }
  try {
    const store = await openAdoptedStore(root, repository, options.open.env);
    if (!store.ok) return store;
    try {
      const found = await look({ repository, root, store: store.value });
      if (!found.ok) return found;
      return options.dryRun ? ok(await foresee(found.value, options)) : await carryOut(found.value, options);
    } catch (error) {
      return storageRefusal(error);
    } finally {
      await store.value.close();
    }
  } finally {
    await lock.release();
  }
}

async function foresee(found: Found, options: AdoptOptions): Promise<AdoptReport> {
  const { repository } = found;
  const { waymark } = repository;
  const trust = waymark === undefined ? NOBODY : { repositoryId: waymark.id, owner: waymark.owner };
  const now = options.open.now ?? Date.now;
  const store = { ...found.store, head: () => found.head };
  const isFirst = waymark === undefined;
  const { records, settings } = await preview({ ...found, ...options, store, now, trust, isFirst });
  return reportOf(found, { dryRun: true, records, settings });
}

async function carryOut(found: Found, options: AdoptOptions): Promise<Outcome<AdoptReport>> {
  const { repository, root, store, head } = found;
  const { open, report } = options;
  if (store.head() !== head) {
    const moved = await moveBookmark({ root, branch: store.branch, variables: open.env });
    if (!moved.ok) return moved;
  }
  if (repository.waymark !== undefined) {
    const opened = await openRecord(repository, open);
    return opened.ok ? sign(found, { ...options, record: opened.value }) : opened;
  }
  // Thoughts that no event holds yet would be indexed twice; the index in `.waymark` is built by its first use.
  const now = open.now ?? Date.now;
  const scratch = await makeScratchIndex({ root, store, now, report, trust: NOBODY });
  try {
    const begun = await beginRecord(repository, { open, store, head, index: scratch.index });
    return begun.ok ? await sign(found, { ...options, record: begun.value }) : begun;
  } finally {
    scratch.remove();
  }
}

type OpenedOptions = AdoptOptions & { readonly record: OpenRecord };

/** As an operator; closes the record. */
async function sign(found: Found, options: OpenedOptions): Promise<Outcome<AdoptReport>> {
  const { record, open, askPassphrase, person, report } = options;
  const session = new Session(record, {
    via: 'cli',
    agentId: person(record),
    wantsOperator: true,
    env: open.env,
    ...(askPassphrase === undefined ? {} : { askPassphrase }),
  });
  try {
    await record.repository.settleIndex(report);
    const { principal, notice } = await session.identity();
    return principal.role === 'operator' ? await bringIn(found, session, options) : notAllowed(notice);
  } finally {
    await session.close();
    await record.repository.close();
  }
}

async function bringIn(found: Found, session: Session, options: OpenedOptions): Promise<Outcome<AdoptReport>> {
  const { head, journal } = found;
  const { record, report, eol } = options;
  const { store, index } = record.repository;
  const context = await session.context();
  const recovered = await recover(context, journal);
  if (!recovered.ok) return recovered;
  const tree = await store.list(store.head() ?? head, '');
  const { candidates, left } = await collect({ index: index.reader(), store, tree, eol });
  const before = candidates.map(({ path }) => statusBefore(index.reader(), path));
  const sizes = new Map(tree.filter(({ mode }) => isFile(mode)).map(({ path, size }) => [path, size]));
  const sizeOf = (path: string) => sizes.get(path);
  const isFirst = found.repository.waymark === undefined;
  const settings = await settingsFiles({ index: index.reader(), store, tree, isFirst, eol });
  // First, since they are few: only an adoption that makes the record takes them all, and it may be cut off.
  const inForce = await bringInSettings(context, settings.unsigned);
  if (!inForce.ok) return inForce;
  const thoughts = await bringInThoughts(context, { candidates, sizeOf, report });
  if (!thoughts.ok) return thoughts;
  const reader = index.reader();
  const records = [...candidates.map((candidate, at) => describe(reader, candidate, before[at])), ...left];
  return ok(reportOf(found, { dryRun: false, records, settings }));
}

interface Results {
  readonly dryRun: boolean;
  readonly records: readonly AdoptRecord[];
  readonly settings: SettingsFiles;
}

function reportOf(found: Found, { dryRun, records, settings }: Results): AdoptReport {
  const { repository, root, store, head, journal } = found;
  return {
    root,
    dry_run: dryRun,
    first: repository.waymark === undefined,
    before: head,
    ...(dryRun || store.head() === head ? {} : { undo: undoOf(found) }),
    counts: countsOf(records),
    records: [...records].sort((a, b) => (a.path < b.path ? -1 : 1)),
    settings: settings.unsigned.map(({ path }) => path),
    settings_changed: settings.changed,
    recovered: [...journal.before.keys()],
  };
}

/** Commits made with git beside jj would be on no bookmark. */
function undoOf({ store, head }: Found): string {
  if (store.kind === 'git') return `git revert --no-edit ${head}..HEAD`;
  return `jj restore --from ${head} && jj commit -m "Undo the adoption" && jj bookmark set ${store.branch} -r @-`;
}

function notYetAdopted(root: string): Refusal {
  return refuse('invalid', `"${root}" is not adopted yet, so there are no signed versions to compare line ends with`, {
    field: 'eol',
    next: 'Run "waymark adopt" without --eol first',
  });
}

function notAllowed(notice = 'Not an operator'): Refusal {
  return refuse('authority', notice, {
    next: 'An operator runs "waymark adopt"; if the "waymark" block of config.yaml is not yours, remove it there and adopt anew',
    details: { fault: 'not_an_operator' },
  });
}

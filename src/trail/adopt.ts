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
import { commitBelow, moveBookmark } from '../store/jj/index.ts';
import { isFile } from '../store/read-batches.ts';
import type { CommitId, TreeEntry, VersionStore } from '../store/version-store.ts';
import { beginRecord } from './adoption/begin.ts';
import { bringInSettings, bringInThoughts } from './adoption/bring-in.ts';
import { collect } from './adoption/candidates.ts';
import { checkClean, checkUnowned } from './adoption/check.ts';
import { describe } from './adoption/describe.ts';
import { preview, statusBefore } from './adoption/preview.ts';
import { type LeftJournal, readJournal, recover } from './adoption/recovery.ts';
import { type AdoptRecord, type AdoptReport, countsOf } from './adoption/report.ts';
import { makeScratchIndex } from './adoption/scratch-index.ts';
import { type SettingsFiles, settingsFiles } from './adoption/settings-files.ts';
import { DEFAULT_BRANCH, type FavaRepository, type Located } from './locate.ts';
import { type OpenOptions, type OpenRecord, openRecord, openVersionStore } from './open.ts';
import { Session, type SessionOptions } from './session.ts';

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

/** What is looked at before anything is written. */
interface Found {
  readonly repository: Located | FavaRepository;
  readonly root: string;
  readonly store: VersionStore;
  /** The commit that is adopted. */
  readonly head: CommitId;
  readonly tree: readonly TreeEntry[];
  readonly journal: LeftJournal;
}

export async function adopt(
  repository: Located | FavaRepository,
  options: AdoptOptions,
): Promise<Outcome<AdoptReport>> {
  const root = realpathSync(repository.root);
  if (options.eol && repository.waymark === undefined) return notYetAdopted(root);
  const lock = await holdFavaLock(root, { create: !options.dryRun });
  if (!lock.held) {
    return refuse('busy', 'FAVA Trails is at work in this repository: it holds ".jj/fava-governance.lock"', {
      next: 'Stop its server, or wait until its change is done, then run "waymark adopt" again',
      details: { fault: 'fava_lock' },
    });
  }
  try {
    const store = await openStore(root, repository, options.open.env);
    if (!store.ok) return store;
    try {
      const found = await look({ repository, root, store: store.value });
      if (!found.ok) return found;
      return options.dryRun ? ok(await foresee(found.value, options)) : await carryOut(found.value, options);
    } finally {
      await store.value.close();
    }
  } finally {
    await lock.release();
  }
}

/** The branch of the record; of a repository that is none yet, the one that is checked out. */
async function openStore(
  root: string,
  { waymark }: Located | FavaRepository,
  variables: OpenOptions['env'],
): Promise<Outcome<VersionStore>> {
  const store = await openVersionStore({ root, branch: waymark?.branch ?? DEFAULT_BRANCH, variables });
  if (!store.ok || waymark !== undefined || store.value.kind === 'jujutsu') return store;
  const branch = store.value.checkedOut();
  if (branch === DEFAULT_BRANCH) return store;
  await store.value.close();
  if (branch !== null) return openVersionStore({ root, branch, variables });
  return refuse('wrong_branch', `HEAD of "${root}" is detached`, {
    next: `Run "git switch ${DEFAULT_BRANCH}" there, then "waymark adopt" again`,
  });
}

async function look(at: Pick<Found, 'repository' | 'root' | 'store'>): Promise<Outcome<Found>> {
  const { repository, root, store } = at;
  // FAVA leaves the bookmark behind what it commits, or makes none.
  const head = store.kind === 'jujutsu' ? await commitBelow({ root, branch: store.branch }) : store.head();
  if (head === null) {
    return refuse('repository', `Branch "${store.branch}" of "${root}" has no commit`, {
      next: 'Commit the FAVA repository there, then run "waymark adopt" again',
    });
  }
  const tree = await store.list(head, '');
  const planted = repository.waymark === undefined ? checkUnowned(root, tree) : null;
  if (planted !== null) return planted;
  const journal = readJournal(root);
  if (!journal.ok) return journal;
  const clean = await checkClean({ root, store, head, journal: journal.value });
  return clean.ok ? ok({ ...at, head, tree, journal: journal.value }) : clean;
}

async function foresee(found: Found, options: AdoptOptions): Promise<AdoptReport> {
  const { repository } = found;
  const { waymark } = repository;
  const trust = waymark === undefined ? NOBODY : { repositoryId: waymark.id, owner: waymark.owner };
  const now = options.open.now ?? Date.now;
  const store = { ...found.store, head: () => found.head };
  const { records, settings } = await preview({ ...found, ...options, store, now, trust });
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
  const files = new Set(tree.filter(({ mode }) => isFile(mode)).map(({ path }) => path));
  const isThere = (path: string) => files.has(path);
  const thoughts = await bringInThoughts(context, { candidates, isThere, report });
  if (!thoughts.ok) return thoughts;
  const settings = await settingsFiles(index.reader(), { store, tree, eol });
  const inForce = await bringInSettings(context, settings.unsigned);
  if (!inForce.ok) return inForce;
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

/** git moves no bookmark: HEAD is detached where jj is. */
function undoOf({ store, head }: Found): string {
  const revert = `git revert --no-edit ${head}..HEAD`;
  return store.kind === 'git' ? revert : `${revert} && jj bookmark set ${store.branch} -r @-`;
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

/**
 * Checks the whole record at the branch's commit, from the files alone, and says of each manipulation by name what was
 * done. The commit is read anew into memory: nothing a damaged index says is believed, and nothing is written.
 */
import { parseRepositoryConfig } from '../config/index.ts';
import {
  type KnownState,
  type LogFault,
  type ReadExport,
  type Remembered,
  rememberedLogs,
  rememberHistory,
  repositoryIdOf,
  VERDICTS,
  type Verdict,
} from '../ledger/index.ts';
import { declaredLosses, isLossDeclared } from '../store/losses.ts';
import { MemoryIndex } from '../store/memory-index.ts';
import { isFile } from '../store/read-batches.ts';
import { CONFLICT_FOLDERS, readCommit } from '../store/reindex.ts';
import { storageMessage } from '../store/storage-error.ts';
import type { CommitId, TreeEntry } from '../store/version-store.ts';
import { CONFIG_FILE, DEFAULT_BRANCH } from './locate.ts';
import type { OpenRecord } from './open.ts';
import { type Purge, verifyHistory } from './verify/history.ts';
import { judge } from './verify/judge.ts';
import { LogReader } from './verify/log-reader.ts';
import type { Finding, VerifyReport } from './verify/report.ts';

export type { Finding, VerifyReport } from './verify/report.ts';

/** What is looked at: an open record, or as much of one as a verification needs. */
export interface VerifySubject extends Pick<OpenRecord, 'seenFolder' | 'now'> {
  readonly repository: Pick<OpenRecord['repository'], 'root' | 'store' | 'trust'>;
}

export interface VerifyOptions {
  /** Progress, a line each. @default nobody */
  readonly report?: (line: string) => void;
  /** Checkpoints exported before, which the record is held against too. @default none */
  readonly against?: ReadExport;
  /** Also hold every commit to the ledger. @default false */
  readonly history?: boolean;
}

export async function verify(subject: VerifySubject, options: VerifyOptions = {}): Promise<VerifyReport> {
  const { store } = subject.repository;
  // Before the commit is chosen: what others save meanwhile is remembered too, and is no cut of this one.
  const remembered = rememberedLogs(subject.seenFolder);
  const head = store.head();
  if (head === null) {
    const gone = [...knownStates(remembered, options.against).keys()].length > 0;
    const message = 'The branch has no commit, and a record was known here';
    return reportOf(head, gone ? [{ verdict: 'cut_tail', code: 'no_commit', message }] : []);
  }
  const { trust } = subject.repository;
  const { against } = options;
  if (against !== undefined && (against.repository !== trust.repositoryId || against.owner !== trust.owner)) {
    const message = `The file is of repository "${against.repository}", and this one is "${trust.repositoryId}"`;
    return reportOf(head, [{ verdict: 're_rooted', code: 'against_other_owner', message }]);
  }
  try {
    return await verifyCommit(subject, { ...options, head, remembered });
  } catch (error) {
    const message = storageMessage(error);
    if (message === null) throw error;
    return reportOf(head, [{ verdict: 'cannot_tell', code: 'unreadable_object', message }]);
  }
}

interface Commit extends VerifyOptions {
  readonly head: CommitId;
  readonly remembered: ReadonlyMap<string, Remembered>;
}

async function verifyCommit(subject: VerifySubject, commit: Commit): Promise<VerifyReport> {
  const { store, trust, root } = subject.repository;
  const { head, remembered, against, report = () => undefined } = commit;
  const entries = await store.list(head, '');
  const other = await reRooted(subject, head);
  if (other !== null) return reportOf(head, [other]);
  if (entries.some(({ path }) => CONFLICT_FOLDERS.some((folder) => path.startsWith(`${folder}/`)))) {
    const message = 'The branch names a conflicted commit: resolve it first';
    return reportOf(head, [{ verdict: 'cannot_tell', code: 'conflicted_commit', message }]);
  }
  const index = new MemoryIndex();
  const logs = new LogReader();
  const now = subject.now();
  await readCommit({ root, store, trust, now: () => now, signatures: 'each', report, observer: logs }, index, head);
  logs.unreadable(linksInLedger(entries));
  const known = knownStates(remembered, against);
  const found = await logs.faults(known, {
    trust,
    now,
    folders: new Set(entries.flatMap(({ path }) => /^ledger\/([0-9a-f]{16})\//.exec(path)?.[1] ?? [])),
    read: (path) => store.readPath(head, path),
    checkpoint: (path) => index.setting(path),
  });
  const { faults, declared } = withoutDeclared(found, { index, known });
  const tree = new Map(entries.map(({ path, mode }) => [path, isFile(mode)]));
  const losses = standingLosses(index);
  const { findings: ofCommit, notes } = judge({
    index,
    logs,
    faults,
    owner: trust.owner,
    tree,
    isLossDeclared: losses.length > 0,
  });
  const ofHead = [...(await otherBranch(subject, head)), ...ofCommit];
  const history = { store, head, seenFolder: subject.seenFolder, now, report, purges: purgesIn(index) };
  const findings = commit.history === true ? withHistory(ofHead, await verifyHistory(history)) : ofHead;
  if (commit.history === true && findings.length === 0) rememberHistory(subject.seenFolder, head);
  const forgetful = known.size === 0 ? [NOTHING_KNOWN] : [];
  return {
    ...reportOf(head, findings),
    checked: index.counts(),
    notes: [...notes, ...erasedNote(index), ...(declared.length > 0 ? declared : losses), ...forgetful],
  };
}

/** A log that is shorter than it was known, where its holder said so and went on under another key, is none of a fault. */
function withoutDeclared(
  found: ReadonlyMap<string, readonly LogFault[]>,
  at: { readonly index: MemoryIndex; readonly known: ReadonlyMap<string, readonly KnownState[]> },
): { readonly faults: ReadonlyMap<string, readonly LogFault[]>; readonly declared: readonly string[] } {
  const declared: string[] = [];
  const faults = new Map(
    [...found].map(([log, all]) => {
      const left = all.filter(({ code, message }) => {
        const state = at.known.get(log)?.find(({ source }) => code === `${source}_cut`);
        if (state === undefined || !isLossDeclared(at.index, { log, remembered: state })) return true;
        declared.push(`${message}; its holder declared the loss and went on under a new key`);
        return false;
      });
      return [log, left] as const;
    }),
  );
  return { faults, declared };
}

/** Declared of logs that are still as short, in words: who saw the end of one follows what is nowhere now. */
function standingLosses(index: MemoryIndex): readonly string[] {
  return declaredLosses(index).flatMap(({ agent_id, restored: { log, size } }) => {
    const found = index.writerTail(log)?.size ?? 0;
    return found < size ? [`Log "${log}" holds ${found} events, and "${agent_id}" declared that it held ${size}`] : [];
  });
}

function purgesIn(index: MemoryIndex): readonly Purge[] {
  return index.validEventsOf('purge').flatMap(({ envelope: { _local: local } }) => {
    return local?.purge === undefined ? [] : [{ old_head: local.purge.old_head, agent_id: local.agent_id }];
  });
}

function erasedNote({ erasedSidecars: count }: MemoryIndex): readonly string[] {
  return count === 0 ? [] : [`Sidecars erased: ${count}; what stands for them is the word of the operator who erased`];
}

const NOTHING_KNOWN = 'Nothing here remembers an earlier state: a cut before today cannot be told';
const NOTHING_CHECKED = { events: 0, thoughts: 0, logs: 0 };

function reportOf(head: CommitId | null, findings: readonly Finding[]): VerifyReport {
  const found = new Set(findings.flatMap(({ verdict }) => verdict ?? []));
  // A consequence without a cause is none: fail closed.
  if (found.size === 0 && findings.length > 0) found.add('cannot_tell');
  const verdicts: readonly Verdict[] = VERDICTS.filter((verdict) => found.has(verdict));
  return { ok: verdicts.length === 0, verdicts, head, checked: NOTHING_CHECKED, findings, notes: [] };
}

/** What history says of a path that is wrong at the head too is where that came from, and no other cause. */
function withHistory(ofHead: readonly Finding[], ofHistory: readonly Finding[]): readonly Finding[] {
  const named = new Set(ofHead.flatMap(({ path }) => path ?? []));
  const all: readonly Finding[] = [
    ...ofHead,
    ...ofHistory.map(({ verdict, ...finding }) => {
      const isCause = verdict !== undefined && !(finding.path !== undefined && named.has(finding.path));
      return isCause ? { verdict, ...finding } : finding;
    }),
  ];
  return [...all.filter(({ verdict }) => verdict !== undefined), ...all.filter(({ verdict }) => verdict === undefined)];
}

/** The commit says who owns it: another than this machine knows is another record. */
async function reRooted({ repository }: VerifySubject, head: CommitId): Promise<Finding | null> {
  const { store, trust } = repository;
  const bytes = await store.readPath(head, CONFIG_FILE);
  const config = bytes === null ? null : parseRepositoryConfig(bytes);
  // That it is gone or malformed is for the ledger to say.
  if (config === null || !config.ok || config.value.waymark === undefined) return null;
  const { id, owner } = config.value.waymark;
  const isKnown = id === trust.repositoryId && owner === trust.owner;
  if (isKnown && repositoryIdOf(owner) === id) return null;
  const message = isKnown
    ? `config.yaml names repository "${id}", which is not the id of its owner key`
    : `The commit is of repository "${id}", and the one known here is "${trust.repositoryId}"`;
  return { verdict: 're_rooted', code: 'other_owner', path: CONFIG_FILE, message };
}

/** Where nothing is pinned, config.yaml of another branch may have led here: this one must say so itself. */
async function otherBranch({ repository: { store } }: VerifySubject, head: CommitId): Promise<readonly Finding[]> {
  const bytes = await store.readPath(head, CONFIG_FILE);
  const config = bytes === null ? null : parseRepositoryConfig(bytes);
  if (config === null || !config.ok || config.value.waymark === undefined) return [];
  const { branch = DEFAULT_BRANCH } = config.value.waymark;
  if (branch === store.branch) return [];
  const message = `config.yaml names branch "${branch}", and this is the commit of "${store.branch}"`;
  return [{ verdict: 'unrecorded_change', code: 'other_branch', path: CONFIG_FILE, message }];
}

function linksInLedger(entries: readonly TreeEntry[]) {
  const links = entries.filter(({ path, mode }) => path.startsWith('ledger/') && !isFile(mode));
  return links.map(({ path }) => ({
    path,
    line: 1,
    code: 'event_not_a_file',
    message: 'A link in the place of an event',
  }));
}

function knownStates(
  remembered: ReadonlyMap<string, Remembered>,
  against: ReadExport | undefined,
): ReadonlyMap<string, readonly KnownState[]> {
  const known = new Map<string, KnownState[]>();
  const add = (log: string, state: KnownState) => known.set(log, [...(known.get(log) ?? []), state]);
  for (const [log, { size, root }] of remembered) add(log, { source: 'remembered', size, root });
  for (const { log, size, root } of against?.checkpoints ?? []) add(log, { source: 'against', size, root });
  return known;
}

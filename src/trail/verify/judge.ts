/**
 * Tells causes from what follows from them. A log that lost an event leaves thoughts without one behind, keys without an
 * enrolment, links that lead nowhere: those findings stay, without a verdict of their own.
 */
import { type LogFault, logNameOf, parseEventPath, RANK, type Verdict } from '../../ledger/index.ts';
import type { MemoryIndex } from '../../store/memory-index.ts';
import { missingFiles } from '../missing-files.ts';
import { type SettingNotice, settingsDifferences } from '../settings-differences.ts';
import type { LogReader } from './log-reader.ts';
import type { Finding } from './report.ts';
import { strayFiles } from './stray-files.ts';

export interface Judging {
  readonly index: MemoryIndex;
  readonly logs: LogReader;
  readonly faults: ReadonlyMap<string, readonly LogFault[]>;
  /** base64url public key. */
  readonly owner: string;
  /** Every path of the commit, with whether it is a regular file. */
  readonly tree: ReadonlyMap<string, boolean>;
  /** The holder of a log declared that its end is lost: who saw that end follows what is nowhere now. */
  readonly isLossDeclared: boolean;
}

export interface Judgement {
  readonly findings: readonly Finding[];
  readonly notes: readonly string[];
}

/** Causes first, then what follows from them. */
export function judge(judging: Judging): Judgement {
  const { index, logs, faults, tree, isLossDeclared } = judging;
  const ofLogs = [...faults.values()].flat();
  const unseen = isLossDeclared || ofLogs.some(({ isLoss }) => isLoss) ? [] : logs.missing();
  const lost: Lost = {
    any: unseen.length > 0 || ofLogs.some(({ isLoss }) => isLoss),
    authority: unseen.length > 0 || authorityIsLost(judging),
  };
  const files = new Set([...tree].flatMap(([path, isFile]) => (isFile ? [path] : [])));
  const settings = settingsDifferences(index);
  const named = new Set([...ofLogs.map(({ path }) => path), ...settings.map(({ path }) => path)]);
  const findings: readonly Finding[] = [
    ...ofLogs.map(({ verdict, code, path, message }) => ({ verdict, code, path, message })),
    ...unseen.map((path) => ({ verdict: 'cut_tail', code: 'log_cut', path, message: UNSEEN }) as const),
    ...strayFiles(tree),
    ...problemFindings(judging, { lost, named }),
    ...unverifiedFindings(index, lost),
    ...settings.filter(({ state }) => state !== 'malformed').map((setting) => settingFinding(index, setting, lost)),
    ...missingFindings(index, files, lost).filter(({ path }) => !named.has(path ?? '')),
  ];
  const causes = findings.filter(({ verdict }) => verdict !== undefined);
  const consequences = findings.filter(({ verdict }) => verdict === undefined);
  const malformed = settings.filter(({ state }) => state === 'malformed');
  return {
    findings: [...causes, ...consequences],
    notes: [...malformed.map(({ path, message }) => `${path}: ${message}`), ...quarantineNotes(index)],
  };
}

/** Nothing is wrong with what an operator withholds. */
function quarantineNotes(index: MemoryIndex): readonly string[] {
  const notes = index.quarantines().map(({ agent_id, since }) => {
    return `What "${agent_id}" wrote from ${new Date(since).toISOString()} on is in quarantine until decided anew`;
  });
  return index.quarantined === 0 ? notes : [...notes, `${index.quarantined} thoughts are withheld in quarantine`];
}

/** What could be explained by an event that is gone. */
interface Lost {
  readonly any: boolean;
  /** Also an enrolment. */
  readonly authority: boolean;
}

const UNSEEN = 'The event follows one of another log that is nowhere here: a log was cut off or removed';

function authorityIsLost({ index, faults, owner }: Judging): boolean {
  const givers = index.keys().filter(({ role }) => RANK[role] >= RANK.operator);
  return [logNameOf(owner), ...givers.map(({ log }) => log)].some((log) =>
    faults.get(log)?.some(({ isLoss }) => isLoss),
  );
}

/** Why an event that is sound by itself does not count. */
const AUTHORITY: Readonly<Record<string, Verdict>> = {
  unknown_key: 'unknown_key',
  after_revocation: 'after_revocation',
  wrong_role: 'wrong_role',
  wrong_agent: 'wrong_role',
  re_enrolled: 'wrong_role',
  not_first: 'wrong_role',
  bad_enrolment: 'wrong_role',
  bad_revocation: 'wrong_role',
  unproven: 'wrong_role',
};
/** The key may sign, and not about this thought, which depends on what others signed before. */
const CUSTODY: ReadonlySet<string> = new Set(['not_the_author', 'thought_frozen', 'removes_thought']);
/** Links that lead nowhere follow from what is gone. */
const LINKS = /^event_(?:missing_prev|missing_seen|cycle|duplicate|out_of_chain)$/;

function problemFindings(
  { index, logs }: Judging,
  { lost, named }: { readonly lost: Lost; readonly named: ReadonlySet<string> },
): readonly Finding[] {
  return index.problems().flatMap((problem) => {
    const { path, line, code, message } = problem;
    const finding = { code, path, line, message };
    const place = parseEventPath(path);
    if (place === null) return [lost.any ? finding : { verdict: 'unrecorded_change', ...finding }];
    if (LINKS.test(code)) return [finding];
    if (named.has(path)) return [];
    if (code === 'after_revocation') return [{ verdict: 'after_revocation', ...finding }];
    const verdict = AUTHORITY[code];
    // What enrols it is named.
    if (code === 'unknown_key' && index.rejectedKeys.has(logs.keyOf(place.log) ?? '')) return [finding];
    if (verdict !== undefined) {
      return [lost.authority || !logs.hasSoundStart(place.log) ? finding : { verdict, ...finding }];
    }
    return [CUSTODY.has(code) && !lost.any ? { verdict: 'wrong_role', ...finding } : finding];
  });
}

const UNVERIFIED = {
  no_event: 'No signed event says how this file came to be',
  changed_since_event: 'The file is not what its last signed event says',
  event_invalid: 'The event about this file does not count',
  event_lacks_authority: 'The key that signed the event may not set this status',
  conflict_markers: 'The file holds conflict markers',
  quarantined: 'An operator withholds what its author wrote',
} as const;

function unverifiedFindings(index: MemoryIndex, lost: Lost): readonly Finding[] {
  return index.unverified().map(({ path, reason }) => {
    const finding = { code: `unverified_${reason}`, path, message: UNVERIFIED[reason] };
    // The event itself is named.
    if (reason === 'event_invalid') return finding;
    if (reason === 'event_lacks_authority') return lost.authority ? finding : { verdict: 'wrong_role', ...finding };
    return unrecorded(finding, lost);
  });
}

function settingFinding(index: MemoryIndex, { path, state, message }: SettingNotice, lost: Lost): Finding {
  const finding = { code: `settings_${state}`, path, message };
  const rests = path === 'keys.yaml' ? index.hasRejectedKeys : index.lastEventOfPath(path)?.event.valid === false;
  return rests ? finding : unrecorded(finding, lost);
}

function missingFindings(index: MemoryIndex, files: ReadonlySet<string>, lost: Lost): readonly Finding[] {
  const message = 'The ledger says this file exists, and it is gone';
  return missingFiles(index, files).map((path) => {
    const finding = { code: 'missing_file', path, message };
    return index.lastEventOfPath(path)?.event.valid === false ? finding : unrecorded(finding, lost);
  });
}

function unrecorded(finding: Finding, lost: Lost): Finding {
  return lost.any ? finding : { verdict: 'unrecorded_change', ...finding };
}

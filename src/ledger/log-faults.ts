/**
 * What was done to one log, from what was read of its files: the causes alone. One manipulation breaks many things that
 * follow from it (a record that is gone also breaks the chain and the root); each is named once, where it happened.
 */
import type { Checkpoint, CheckpointVerdict } from './checkpoint.ts';
import { appendLeaf, rootOf } from './merkle.ts';
import type { Hash } from './types.ts';
import type { Verdict } from './verdict.ts';
import { checkpointPath, eventPath, logNameOf } from './writer.ts';

/** An event file of a log, at the number its path says. */
export type LogFile = { readonly seq: number } & (
  | {
      /** A record that states this place and the log's key. */
      readonly kind: 'event';
      readonly hash: Hash;
      readonly prev: Hash | null;
      /** Hash of its leaf in the log's tree. */
      readonly leaf: Uint8Array;
      /** The signature is the key's, whatever else is wrong. */
      readonly isSigned: boolean;
      /** Why it does not count by itself, `null` when nothing is wrong. */
      readonly fault: string | null;
    }
  | { readonly kind: 'unreadable'; readonly code: string; readonly message: string }
  | {
      /** A record of another place or key. */
      readonly kind: 'misplaced';
      /** Sound by itself: signed by the key it names. */
      readonly isValid: boolean;
      /** Where it says it stands; `null` when it says nothing. */
      readonly says: { readonly log: string; readonly seq: number; readonly key: string } | null;
    }
);

/** A state of the log that somebody saw, and where that is kept. */
export interface KnownState extends Pick<Checkpoint, 'size' | 'root'> {
  readonly source: 'remembered' | 'against';
}

export interface LogFacts {
  readonly log: string;
  /** By number, each once. */
  readonly files: readonly LogFile[];
  /** `null` when the file is gone. */
  readonly checkpoint: CheckpointVerdict | null;
  readonly known: readonly KnownState[];
  /** The record began in this log: it is never empty. */
  readonly isFounding: boolean;
}

export interface LogFault {
  readonly verdict: Verdict;
  readonly code: string;
  readonly path: string;
  readonly message: string;
  /** An event that was there no longer counts, or may: what rested on it is no fault of its own. */
  readonly isLoss: boolean;
}

export function logFaults(facts: LogFacts): readonly LogFault[] {
  const view = viewOf(facts);
  const files = [...facts.files.flatMap((file) => fileFault(view, file) ?? []), ...holes(view), ...chainFaults(view)];
  const end = files.some(({ isLoss }) => isLoss) ? checkpointFault(view) : endFaults(view);
  return [...files, ...end];
}

interface View extends LogFacts {
  readonly at: ReadonlyMap<number, LogFile>;
  /** Numbers that sound records state which stand elsewhere in the log. */
  readonly claimed: ReadonlySet<number>;
  /** Number of events the checkpoint signs, `null` when it cannot be believed. */
  readonly signed: number | null;
  /** The last number at which something of the log must stand, -1 when there is none. */
  readonly last: number;
}

function viewOf(facts: LogFacts): View {
  const { log, files, checkpoint } = facts;
  const signed = checkpoint?.ok === true ? checkpoint.checkpoint.size : null;
  const isOurs = (file: LogFile) => (file.kind === 'event' && file.isSigned) || (signed !== null && file.seq < signed);
  return {
    ...facts,
    at: new Map(files.map((file) => [file.seq, file])),
    claimed: new Set(files.flatMap((file) => (isOfLog(log, file) ? [file.says.seq] : []))),
    signed,
    last: files.findLast(isOurs)?.seq ?? -1,
  };
}

type Misplaced = LogFile & { readonly kind: 'misplaced' };

/** A record of this log, by its key, in another place of it. */
function isOfLog(log: string, file: LogFile): file is Misplaced & { readonly says: NonNullable<Misplaced['says']> } {
  if (file.kind !== 'misplaced' || !file.isValid || file.says === null) return false;
  return file.says.log === log && logNameOf(file.says.key) === log;
}

/** Nothing signed could have stood there. */
function isBeyond({ signed, last }: View, { seq }: LogFile): boolean {
  return seq > last || (signed !== null && seq >= signed);
}

function fileFault(view: View, file: LogFile): LogFault | null {
  const { log } = view;
  const isLoss = !isBeyond(view, file);
  const fault = (verdict: Verdict, code: string, message: string): LogFault => {
    return { verdict, code, path: eventPath(log, file.seq), message, isLoss };
  };
  switch (file.kind) {
    case 'unreadable':
      return fault('edited', file.code, file.message);
    case 'event':
      if (file.fault === null || file.fault === 'wrong_log') return null;
      if (file.fault === 'timestamp_in_future') {
        const message = "The event is dated after this machine's clock: whether it counts cannot be told";
        return { ...fault('cannot_tell', file.fault, message), isLoss: false };
      }
      return fault('edited', file.fault, 'The event is not as it was signed');
    case 'misplaced':
      return misplacedFault(view, file, fault);
  }
}

function misplacedFault(
  view: View,
  file: Misplaced,
  fault: (verdict: Verdict, code: string, message: string) => LogFault,
): LogFault {
  const code = 'event_misplaced';
  const { says, seq, isValid } = file;
  if (!isValid && !isBeyond(view, file)) return fault('edited', code, 'The record is not the one that was signed here');
  if (isValid && says?.log === view.log && says.seq === seq) {
    return fault('re_signed', code, "The record is signed by another key than the log's");
  }
  if (isOfLog(view.log, file)) {
    const home = view.at.get(file.says.seq);
    if (home === undefined || home.kind === 'misplaced') {
      // Where it belongs, another stands or none.
      return { ...fault('reordered', code, `The record is number ${file.says.seq} of its log`), isLoss: true };
    }
    return fault('inserted', code, `The record is a copy of number ${file.says.seq} of its log`);
  }
  return fault('inserted', code, 'The record is not of this log');
}

/** A gap is named once, however long: the number in a path is anybody's. */
function holes({ log, files, last, claimed }: View): readonly LogFault[] {
  const faults: LogFault[] = [];
  let next = 0;
  for (const { seq } of files) {
    if (seq > last) break;
    const isGap = seq > next && !(seq === next + 1 && claimed.has(next));
    if (isGap) {
      const which = seq === next + 1 ? `Event ${next}` : `Events ${next} to ${seq - 1}`;
      const message = `${which} of log "${log}" ${seq === next + 1 ? 'is' : 'are'} gone, and later ones are there`;
      faults.push({ verdict: 'removed', code: 'event_removed', path: eventPath(log, next), message, isLoss: true });
    }
    next = seq + 1;
  }
  return faults;
}

/** Signed and in place, and not behind the record before: the key has signed two histories. */
function chainFaults({ log, files, at }: View): readonly LogFault[] {
  return files.flatMap((file) => {
    if (file.kind !== 'event' || !file.isSigned) return [];
    const before = at.get(file.seq - 1);
    const isJudged = file.seq === 0 || (before?.kind === 'event' && before.isSigned);
    const expected = before?.kind === 'event' ? before.hash : null;
    if (!isJudged || file.prev === expected) return [];
    const message = 'The key signed the event behind another one than the one that stands before it';
    const path = eventPath(log, file.seq);
    return [{ verdict: 'forked', code: 'event_out_of_chain', path, message, isLoss: true }] as const;
  });
}

/** A checkpoint that is not as it was signed; what it says of the end is not asked. */
function checkpointFault({ log, checkpoint }: View): readonly LogFault[] {
  if (checkpoint === null || checkpoint.ok) return [];
  const { code, message } = checkpoint;
  return [{ verdict: 'edited', code: `checkpoint_${code}`, path: checkpointPath(log), message, isLoss: false }];
}

/** The end of a log whose files are all sound, against its checkpoint and what is known of it. */
function endFaults(view: View): readonly LogFault[] {
  const { log, files, checkpoint, known, last, isFounding } = view;
  const size = last + 1;
  const path = checkpointPath(log);
  // What stands there of other logs is named by itself.
  if (size === 0 && files.length > 0) return [];
  if (size === 0 && (checkpoint !== null || isFounding)) {
    const message = `Log "${log}" holds no event, and ${checkpoint === null ? 'the record began in it' : 'its checkpoint is there'}`;
    return [{ verdict: 'cut_tail', code: 'log_cut', path, message, isLoss: true }];
  }
  const roots = rootsAt(files, new Set([...known.map((state) => state.size), view.signed ?? 0]));
  const states: readonly (KnownState | (Omit<KnownState, 'source'> & { readonly source: 'checkpoint' }))[] = [
    ...(checkpoint?.ok === true ? [{ ...checkpoint.checkpoint, source: 'checkpoint' } as const] : []),
    ...known,
  ];
  for (const state of states) {
    const { source } = state;
    const whose = source === 'checkpoint' ? 'its checkpoint' : source === 'against' ? 'the file' : 'this machine';
    if (state.size > size) {
      const message = `Log "${log}" holds ${size} events, and ${whose} knows ${state.size}`;
      const code = source === 'checkpoint' ? 'log_cut' : `${source}_cut`;
      return [{ verdict: 'cut_tail', code, path, message, isLoss: true }, ...checkpointFault(view)];
    }
    const root = roots.get(state.size);
    if (root === undefined || !Buffer.from(root).equals(state.root)) {
      const message = `The first ${state.size} events of log "${log}" are not the ones that ${whose} knows`;
      const code = source === 'checkpoint' ? 'root_mismatch' : `${source}_forked`;
      return [{ verdict: 'forked', code, path, message, isLoss: true }, ...checkpointFault(view)];
    }
  }
  if (checkpoint === null && size > 0) {
    const message = `Log "${log}" has no checkpoint: whether its end is there cannot be told`;
    return [{ verdict: 'cannot_tell', code: 'checkpoint_missing', path, message, isLoss: false }];
  }
  if (view.signed !== null && view.signed < size) {
    const message = `The checkpoint signs ${view.signed} events, and the log holds ${size}`;
    const at = eventPath(log, view.signed);
    return [{ verdict: 'inserted', code: 'checkpoint_behind', path: at, message, isLoss: false }];
  }
  return checkpointFault(view);
}

/** Roots of the trees of the first events, at the sizes asked for. */
function rootsAt(files: readonly LogFile[], sizes: ReadonlySet<number>): ReadonlyMap<number, Uint8Array> {
  let peaks: readonly Uint8Array[] = [];
  let size = 0;
  const roots = new Map([[0, rootOf(peaks)]]);
  for (const file of files) {
    // What stands past a gap belongs to no tree.
    if (file.kind !== 'event' || file.seq !== size) break;
    size += 1;
    peaks = appendLeaf(peaks, file.seq, file.leaf);
    if (sizes.has(file.seq + 1)) roots.set(file.seq + 1, rootOf(peaks));
  }
  return roots;
}

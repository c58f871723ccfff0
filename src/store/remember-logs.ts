/**
 * What this machine has seen of each log, brought up whenever more of it is seen: on an own publication, at catch-up and
 * after a rebuild. It is memory beside the record, so that it cannot be written is said and stops nothing.
 */
import {
  appendLeaf,
  compareWithRemembered,
  leafHash,
  logEntry,
  rememberCheckpoint,
  rootOf,
  type WriterTail,
} from '../ledger/index.ts';
import type { Index } from './index/index.ts';

export interface RememberOptions {
  /** Folder of the checkpoints this machine remembers of the repository. */
  readonly seenFolder: string;
  readonly warn: (message: string, cause: unknown) => void;
}

/** Remembers the end of a log whose beginning is known to be the one remembered. */
export function rememberTail({ log, size, peaks }: WriterTail, { seenFolder, warn }: RememberOptions): void {
  try {
    rememberCheckpoint({ dir: seenFolder, log }, { size, root: rootOf(peaks) });
  } catch (error) {
    warn(`The newest checkpoint of log "${log}" could not be remembered in "${seenFolder}"`, error);
  }
}

/**
 * Remembers the logs as the index has them. A log that is cut or forked keeps its older memory, which accuses it.
 *
 * @param before Log to its end before the change, `null` when it was not looked at.
 */
export function rememberLogs(
  index: Index,
  before: ReadonlyMap<string, WriterTail | null>,
  options: RememberOptions,
): void {
  for (const [log, earlier] of before) {
    const tail = index.writerTail(log);
    if (tail === null) continue;
    const rootAt = (size: number) => rootOfFirst(index, { tail, earlier, size });
    const verdict = compareWithRemembered({ dir: options.seenFolder, log }, { size: tail.size, rootAt });
    if (verdict === 'ok' || verdict === 'unknown') rememberTail(tail, options);
  }
}

/** Ends of the logs as the index has them. */
export function tailsOf(index: Index, logs: Iterable<string>): ReadonlyMap<string, WriterTail | null> {
  return new Map([...logs].map((log) => [log, index.writerTail(log)]));
}

/** Root of the log's first `size` events, read back from its end to the nearest tree at hand. */
function rootOfFirst(
  index: Index,
  at: { readonly tail: WriterTail; readonly earlier: WriterTail | null; readonly size: number },
): Uint8Array {
  const { tail, earlier, size } = at;
  if (size === tail.size) return rootOf(tail.peaks);
  const base = earlier !== null && earlier.size <= size ? earlier : { size: 0, peaks: [] };
  const leaves: Uint8Array[] = [];
  for (let hash = tail.last; hash !== null; ) {
    const record = index.eventByHash(hash)?.envelope.record;
    if (record?.waymark === undefined) throw new Error(`The index lacks event "${hash}" of log "${tail.log}"`);
    const { seq, prev } = record.waymark;
    if (seq < base.size) break;
    if (seq < size) leaves.push(leafHash(logEntry(record, hash)));
    hash = prev;
  }
  let { peaks }: { peaks: readonly Uint8Array[] } = base;
  for (const [at, leaf] of leaves.reverse().entries()) peaks = appendLeaf(peaks, base.size + at, leaf);
  return rootOf(peaks);
}

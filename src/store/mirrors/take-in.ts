/** Takes the lines of one file into the index, from where an earlier reading stopped. */
import { closeSync } from 'node:fs';
import { setImmediate as breathe } from 'node:timers/promises';
import { isBlankLine, readMirrorLine } from '../../ledger/index.ts';
import type { FileRow } from './file-store.ts';
import type { FileVersion, FoundFile } from './list-files.ts';
import type { MirrorIndex } from './mirror-index.ts';
import { fingerprint, openFile } from './open-file.ts';
import { type FileLine, linesOf } from './read-lines.ts';

/** How long one transaction reads before it lets other processes in, and how long it holds up this one. Milliseconds. */
const TURN_MS = 1_000;
const SLICE_MS = 10;

export interface TakeInOptions {
  /** Read it from its start: it does not hold what the index says. */
  readonly anew: boolean;
  /** Ends the turn early. */
  readonly isStopped: () => boolean;
}

export type TakeInResult = { readonly isDone: boolean } | { readonly unreadable: string };

/**
 * One turn, inside a transaction. What was taken in before stays when the file has only grown; else it is taken out
 * first. Only lines that a newline ends are settled: the last one may be still being written, so it counts as long as
 * it is a record, and is read again next time.
 */
export async function takeIn(index: MirrorIndex, file: FoundFile, options: TakeInOptions): Promise<TakeInResult> {
  const opened = openFile(file.path);
  if (typeof opened === 'string') return { unreadable: opened };
  const { fd, version } = opened;
  try {
    const known = index.files.row(file.name);
    if (!options.anew && isSettled(known, version)) return { isDone: true };
    const goesOn = !options.anew && hasOnlyGrown(known, opened);
    const row = goesOn ? withoutLastLine(index, known) : await emptied(index, known);
    const read = await readOn(index, { row, opened, isStopped: options.isStopped });
    index.files.save({ ...read.row, fingerprint: fingerprint(fd, read.row.read) });
    return { isDone: read.isDone };
  } finally {
    closeSync(fd);
  }
}

/** Whether the file is as it was when it was read to its end. */
export function isSettled(row: FileRow, { inode, size, modified }: FileVersion): boolean {
  return row.inode === inode && row.size === size && row.modified === modified;
}

function hasOnlyGrown(row: FileRow, { fd, version }: { readonly fd: number; readonly version: FileVersion }): boolean {
  if (row.inode !== version.inode || version.size < row.size) return false;
  const isHalfRead = row.modified === '';
  // As long as before and touched since: nobody knows where.
  if (!isHalfRead && version.size === row.size) return false;
  return Buffer.compare(row.fingerprint, fingerprint(fd, row.read)) === 0;
}

function withoutLastLine(index: MirrorIndex, row: FileRow): FileRow {
  return { ...row, records: row.records - index.writer.drop(row.id, row.read), unfinished: 0 };
}

async function emptied(index: MirrorIndex, row: FileRow): Promise<FileRow> {
  while (index.writer.drop(row.id, 0) > 0) await breathe();
  index.files.dropSkips(row.id);
  return { ...row, read: 0, lines: 0, records: 0, skipped: 0, unfinished: 0 };
}

interface Reading {
  readonly row: FileRow;
  readonly opened: { readonly fd: number; readonly version: FileVersion };
  readonly isStopped: () => boolean;
}

async function readOn(index: MirrorIndex, { row, opened, isStopped }: Reading) {
  const { fd, version } = opened;
  let { read, lines, records, skipped, unfinished } = row;
  let isDone = true;
  const turnEnds = performance.now() + TURN_MS;
  let sliceEnds = performance.now() + SLICE_MS;
  for (const line of linesOf(fd, { from: read, to: version.size })) {
    const taken = takeLine(index, row.id, line);
    if (taken === 'record') records += 1;
    if (!line.isWhole) {
      unfinished = typeof taken === 'object' ? 1 : 0;
      break;
    }
    lines += 1;
    read = line.start + line.length + 1;
    if (typeof taken === 'object') {
      index.files.addSkip(row.id, { ...taken, before: skipped, line: lines });
      skipped += 1;
    }
    if (performance.now() < sliceEnds) continue;
    if (isStopped() || performance.now() > turnEnds) {
      isDone = false;
      break;
    }
    await breathe();
    sliceEnds = performance.now() + SLICE_MS;
  }
  const seen = isDone ? version : { inode: version.inode, size: read, modified: '' };
  return { row: { ...row, ...seen, read, lines, records, skipped, unfinished }, isDone };
}

const TOO_LONG = { code: 'too_long', message: 'The line is longer than any record' } as const;

function takeLine(index: MirrorIndex, file: number, { bytes, start, length }: FileLine) {
  if (bytes === null) return TOO_LONG;
  if (isBlankLine(bytes)) return 'blank';
  const line = readMirrorLine(bytes);
  if (!line.ok) return line;
  const sidecar = line.local === null ? 0 : JSON.stringify(line.local).length;
  index.writer.add({ file, start, length, hash: line.hash, record: line.record, sidecar });
  return 'record';
}

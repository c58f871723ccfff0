/** Appends records to one file of an atrib mirror: each once, a line each, whole lines only. */
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { readMirrorLine } from '../ledger/index.ts';
import type { Hash } from '../ledger/types.ts';
import { acquireLock } from './lock.ts';
import { linesOf } from './mirrors/read-lines.ts';

export interface MirroredRecord {
  readonly hash: Hash;
  /** Without a newline. */
  readonly line: string;
}

export interface AppendOptions {
  readonly file: string;
  /** Of all mirror files of this machine: one process at a time. */
  readonly lockFile: string;
  /** Who waits, for the others. */
  readonly holder: string;
}

export type AppendResult =
  /** `present`: records the file held already, in whatever shape. */
  | { readonly ok: true; readonly written: number; readonly present: number }
  | { readonly ok: false; readonly code: 'busy' | 'not_a_file' };

/** Bytes of lines that are written at once. */
const BATCH = 2 ** 20;
const NEWLINE = 0x0a;

/**
 * Appends those that the file does not hold. A partial last line, of a program that died, is left as it is and ended, so
 * that no record is glued to it. Throws what the file system throws.
 */
export async function appendToMirror(
  records: AsyncIterable<MirroredRecord>,
  { file, lockFile, holder }: AppendOptions,
): Promise<AppendResult> {
  for (const folder of [dirname(file), dirname(lockFile)]) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const acquired = await acquireLock({ file: lockFile, holder });
  if (!acquired.ok) return { ok: false, code: 'busy' };
  try {
    // A link could lead anywhere, and a fifo would wait for a reader.
    const flags =
      constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    const fd = openSync(file, flags, 0o600);
    try {
      if (!fstatSync(fd).isFile()) return { ok: false, code: 'not_a_file' };
      fchmodSync(fd, 0o600);
      return { ok: true, ...(await appendTo(fd, records)) };
    } finally {
      closeSync(fd);
    }
  } finally {
    acquired.lock.release();
  }
}

async function appendTo(fd: number, records: AsyncIterable<MirroredRecord>) {
  const { size } = fstatSync(fd);
  const present = hashesIn(fd, size);
  let waiting = endsWithNewline(fd, size) ? '' : '\n';
  let [written, found] = [0, 0];
  for await (const { hash, line } of records) {
    if (present.has(hash)) {
      found += 1;
      continue;
    }
    present.add(hash);
    written += 1;
    waiting += `${line}\n`;
    if (waiting.length < BATCH) continue;
    writeAll(fd, waiting);
    waiting = '';
  }
  if (written > 0) {
    writeAll(fd, waiting);
    fsyncSync(fd);
  }
  return { written, present: found };
}

function hashesIn(fd: number, size: number): Set<Hash> {
  const hashes = new Set<Hash>();
  for (const { bytes } of linesOf(fd, { from: 0, to: size })) {
    const line = bytes === null ? null : readMirrorLine(bytes);
    if (line?.ok) hashes.add(line.hash);
  }
  return hashes;
}

function endsWithNewline(fd: number, size: number): boolean {
  const last = Buffer.alloc(1);
  return size === 0 || (readSync(fd, last, 0, 1, size - 1) === 1 && last[0] === NEWLINE);
}

function writeAll(fd: number, text: string): void {
  const bytes = Buffer.from(text, 'utf8');
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
}

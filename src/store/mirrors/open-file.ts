/** Opening a file of a mirror, which may be anything by now, and knowing it again. */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { sha256 } from '../../ledger/hash.ts';
import { type FileVersion, NOT_A_FILE, reasonOf, versionOf } from './list-files.ts';

export interface OpenFile {
  readonly fd: number;
  readonly version: FileVersion;
}

/** The open file, or why it cannot be read. Never waits: a fifo would, for a writer. */
export function openFile(path: string): OpenFile | string {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    return reasonOf(error);
  }
  const stat = fstatSync(fd, { bigint: true });
  if (stat.isFile()) return { fd, version: versionOf(stat) };
  closeSync(fd);
  return NOT_A_FILE;
}

/** Bytes at either end that tell whether a file is still the one that was read. */
const ENDS = 4096;

/** Digest of the first and the last bytes of what lies before `read`. */
export function fingerprint(fd: number, read: number): Uint8Array {
  const length = Math.min(ENDS, read);
  return sha256(readAt(fd, { start: 0, length }), readAt(fd, { start: read - length, length }));
}

/** Fewer bytes than asked for where the file ends. */
export function readAt(fd: number, { start, length }: { readonly start: number; readonly length: number }): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  return bytes.subarray(0, readSync(fd, bytes, 0, length, start));
}

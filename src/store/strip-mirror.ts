/** Takes sidecars and texts of erased events out of a mirror file of ours; the records stay. */
import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { readMirrorLine } from '../ledger/index.ts';
import type { Hash } from '../ledger/types.ts';
import { errnoOf } from '../record/errno.ts';
import { writeDurableFile } from './durable-file.ts';
import { acquireLock } from './lock.ts';
import { linesOf } from './mirrors/read-lines.ts';

export interface StripOptions {
  readonly lockFile: string;
  /** Who waits, for the others. */
  readonly holder: string;
  readonly erased: ReadonlySet<Hash>;
}

const OURS = /^waymark-.+\.jsonl$/;

/** Mirror files in the folder that `waymark mirror` wrote. */
export async function ownMirrors(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).filter((name) => OURS.test(name)).map((name) => join(folder, name));
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  }
}

/** How many lines were made bare; `busy` when another process writes a mirror. Throws what the file system throws. */
export async function stripMirror(file: string, { lockFile, holder, erased }: StripOptions): Promise<number | 'busy'> {
  const acquired = await acquireLock({ file: lockFile, holder });
  if (!acquired.ok) return 'busy';
  try {
    const { parts, stripped } = linesWithout(file, erased);
    if (stripped === 0) return 0;
    const temporary = join(dirname(file), `.${basename(file)}.tmp`);
    await writeDurableFile(file, Buffer.concat(parts), { temporary, mode: 0o600 });
    return stripped;
  } finally {
    acquired.lock.release();
  }
}

function linesWithout(file: string, erased: ReadonlySet<Hash>) {
  const fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(fd);
    const parts: Uint8Array[] = [];
    let stripped = 0;
    if (!stat.isFile()) return { parts, stripped };
    for (const { bytes, isWhole } of linesOf(fd, { from: 0, to: stat.size })) {
      if (bytes === null) throw new Error(`A line of "${file}" is longer than any record`);
      const line = readMirrorLine(bytes);
      const isErased = line.ok && line.local !== null && erased.has(line.hash);
      if (isErased) stripped += 1;
      parts.push(isErased ? Buffer.from(JSON.stringify(line.record)) : Buffer.from(bytes));
      if (isWhole) parts.push(Buffer.from('\n'));
    }
    return { parts, stripped };
  } finally {
    closeSync(fd);
  }
}

/** Which files a mirror has now. */
import { lstatSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { errnoOf } from '../../record/errno.ts';

/** Where a mirror is. */
export interface MirrorPlace {
  /** All `*.jsonl` in it are read, not those of folders in it. */
  readonly folder: string;
  /** Read this file alone. @default all of the folder */
  readonly file?: string | undefined;
}

export interface FoundFile {
  /** Base name. */
  readonly name: string;
  readonly path: string;
  readonly version: FileVersion;
}

/** What changes when a file does. */
export interface FileVersion {
  readonly inode: string;
  readonly size: number;
  /** Nanoseconds. */
  readonly modified: string;
}

export interface Listing {
  /** Regular files, also those that a link leads to; sorted by name. */
  readonly files: readonly FoundFile[];
  /** Base name and reason of what cannot be read. */
  readonly unreadable: ReadonlyMap<string, string>;
  /** `false` when the folder itself could not be read: then nothing is known to be gone. */
  readonly isComplete: boolean;
}

export function listFiles({ folder, file }: MirrorPlace): Listing {
  let names: readonly string[];
  try {
    names = file === undefined ? readdirSync(folder).filter((name) => name.endsWith('.jsonl')) : [basename(file)];
  } catch (error) {
    // No such folder is an empty mirror.
    if (errnoOf(error) === 'ENOENT') return { files: [], unreadable: new Map(), isComplete: true };
    return { files: [], unreadable: new Map([[basename(folder), reasonOf(error)]]), isComplete: false };
  }
  const files: FoundFile[] = [];
  const unreadable = new Map<string, string>();
  for (const name of names.toSorted()) {
    const path = file ?? join(folder, name);
    const found = look(path);
    if (typeof found === 'string') unreadable.set(name, found);
    else if (found !== null) files.push({ name, path, version: found });
  }
  return { files, unreadable, isComplete: true };
}

/** `null` when there is nothing, which is no fault: it was removed since the folder was read. */
function look(path: string): FileVersion | string | null {
  try {
    // Never opened before it is known to be a file: opening a fifo waits for a writer.
    const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
    if (stat === undefined) {
      return lstatSync(path, { throwIfNoEntry: false }) === undefined ? null : 'a link that leads nowhere';
    }
    return stat.isFile() ? versionOf(stat) : NOT_A_FILE;
  } catch (error) {
    return reasonOf(error);
  }
}

export const NOT_A_FILE = 'not a regular file';

export function versionOf(stat: {
  readonly ino: bigint;
  readonly size: bigint;
  readonly mtimeNs: bigint;
}): FileVersion {
  return { inode: String(stat.ino), size: Number(stat.size), modified: String(stat.mtimeNs) };
}

/**
 * Why something cannot be read, without its path: that has the name of a person in it. Throws what is no error of the
 * file system.
 */
export function reasonOf(error: unknown): string {
  const code = errnoOf(error);
  if (code === undefined || !/^E[A-Z]+$/.test(code)) throw error;
  return WORDS[code] ?? code;
}

const WORDS: Readonly<Record<string, string>> = {
  EACCES: 'no permission',
  EPERM: 'no permission',
  ELOOP: 'a loop of links',
  ENOENT: 'no such file',
  ENOTDIR: 'not a folder',
};

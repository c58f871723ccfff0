/** Finds and reads what `waymark import` is given. Names and bytes are a stranger's: bounded, no link is followed. */
import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readdir, realpath } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { errnoOf } from '../record/errno.ts';
import { LIMITS } from '../record/limits.ts';
import { type Outcome, ok, type Refusal, refuse } from '../record/outcome.ts';

/** One file, or why it was not read. */
export interface Source {
  /** Below the folder that was named, with forward slashes; never an absolute path. */
  readonly name: string;
  readonly content: Outcome<Uint8Array>;
}

/** What lies beside the sources: other kinds of files, and whatever has a name with a leading dot. */
export interface LeftAlone {
  count: number;
}

const MIB = 1024 * 1024;
/** Bytes of a Markdown file, which becomes one thought, and of a file of many. */
const MOST = { markdown: LIMITS.fileBytes, jsonl: 64 * MIB } as const;
/** Levels of folders. */
const DEPTH = 16;

/** By its name; `null` for a file that is not imported. */
export function kindOf(name: string): 'markdown' | 'jsonl' | null {
  if (/\.(?:md|markdown)$/i.test(name)) return 'markdown';
  return /\.jsonl$/i.test(name) ? 'jsonl' : null;
}

/** The sources of a file or folder in the order of their names. The path itself may be a link: the person named it. */
export async function* sourcesOf(path: string, leftAlone: LeftAlone): AsyncGenerator<Source> {
  const root = await realpath(path);
  if ((await lstat(root)).isDirectory()) yield* inFolder({ path: root, name: '', depth: 1 }, leftAlone);
  else yield { name: basename(path), content: await read(root, path) };
}

interface Folder {
  readonly path: string;
  readonly name: string;
  readonly depth: number;
}

async function* inFolder(folder: Folder, leftAlone: LeftAlone): AsyncGenerator<Source> {
  const entries = await entriesOf(folder.path);
  if (!entries.ok) yield { name: folder.name === '' ? '.' : folder.name, content: entries };
  for (const entry of entries.ok ? entries.value : []) {
    const name = folder.name === '' ? entry.name : `${folder.name}/${entry.name}`;
    const path = join(folder.path, entry.name);
    if (entry.name.startsWith('.')) leftAlone.count += 1;
    else if (entry.isSymbolicLink()) yield { name, content: notRead('It is a link, and links are not followed') };
    else if (entry.isDirectory() && folder.depth < DEPTH)
      yield* inFolder({ path, name, depth: folder.depth + 1 }, leftAlone);
    else if (entry.isDirectory()) yield { name, content: notRead(`It lies more than ${DEPTH} folders deep`) };
    else if (kindOf(name) === null) leftAlone.count += 1;
    else yield { name, content: await read(path, name) };
  }
}

async function entriesOf(path: string) {
  try {
    const entries = await readdir(path, { withFileTypes: true });
    return ok(entries.sort((a, b) => (a.name < b.name ? -1 : 1)));
  } catch (error) {
    return unreadable(error);
  }
}

/** Opened first and looked at then, so that what is read is what was checked; neither a link nor a pipe is opened. */
async function read(path: string, name: string): Promise<Outcome<Uint8Array>> {
  let file: FileHandle | undefined;
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const found = await file.stat();
    if (!found.isFile()) return notRead('It is not a regular file');
    const most = MOST[kindOf(name) ?? 'markdown'];
    if (found.size > most) return tooLarge(found.size, most);
    const bytes = await file.readFile();
    // Somebody may still write to it.
    return bytes.length > most ? tooLarge(bytes.length, most) : ok(bytes);
  } catch (error) {
    return unreadable(error);
  } finally {
    await file?.close();
  }
}

function notRead(message: string): Refusal {
  return refuse('invalid', message, { next: 'Put a regular file in its place, or import it by itself' });
}

function tooLarge(size: number, limit: number): Refusal {
  return refuse('invalid', `It has ${size} bytes, the limit is ${limit}`, {
    next: 'Split it into several files, one for each thing worth knowing',
    details: { size, limit },
  });
}

/** The code alone: the system's message holds the absolute path. */
function unreadable(error: unknown): Refusal {
  const code = errnoOf(error) ?? 'unknown error';
  return refuse('storage', `It could not be read: ${code}`, { next: 'Make it readable, or leave it out' });
}

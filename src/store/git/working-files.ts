/** The files people see: brought in step with what was published, and compared with what was committed. */
import { lstatSync, mkdirSync, realpathSync, rmSync } from 'node:fs';
import { lstat, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { withoutCarriageReturns } from '../../record/bytes.ts';
import { errnoOf } from '../../record/errno.ts';
import { blobIdOf } from '../blob-id.ts';
import { stageFile, syncFolder } from '../durable-file.ts';
import type { BlobId, PlannedCommit, PublishOptions } from '../version-store.ts';
import { assertRepositoryPath } from './repository-path.ts';

export interface WorkingTree {
  /** Absolute, real path of the repository. */
  readonly root: string;
  /** Folder for files that are being written, on the same file system. */
  readonly temporary: string;
}

/** Path to bytes, `null` for no file. */
export type Files = ReadonlyMap<string, Uint8Array | null>;

/** Enough to let the disk merge its flushes, few enough to bound open files. */
const STAGED_AT_ONCE = 32;

/** What the commits leave behind: of a path that several change, the last bytes. */
export function finalFiles(commits: readonly PlannedCommit[]): Files {
  return new Map(commits.flatMap((commit) => [...commit.files]));
}

/**
 * Makes the working files what `files` says, in path order, durably; files that are so already are not touched, and
 * emptied folders stay. Throws on a folder that is a link out of the root.
 */
export async function settleFiles(tree: WorkingTree, files: Files, options: PublishOptions = {}): Promise<void> {
  const folders = new FolderSet(tree.root);
  const paths = [...files.keys()].sort();
  for (let at = 0; at < paths.length; at += STAGED_AT_ONCE) {
    const batch = paths.slice(at, at + STAGED_AT_ONCE);
    const staged = await Promise.all(
      batch.map((path) => stage(tree, folders, { path, bytes: files.get(path) ?? null })),
    );
    for (const [offset, path] of batch.entries()) {
      await place(join(tree.root, path), staged[offset] ?? 'keep');
      if (staged[offset] !== 'keep') folders.changed.add(dirname(join(tree.root, path)));
      if (at + offset === 0) await options.onStep?.('first_file');
    }
  }
  await Promise.all([...folders.changed].map(syncFolder));
  if (paths.length > 0) await options.onStep?.('last_file');
}

/**
 * The first path, in the order given, whose working file exists and is not what is committed (`null`: nothing is). Line
 * ends that git turned into CRLF on checkout are no edit.
 */
export async function uncommittedEdit(root: string, files: ReadonlyMap<string, BlobId | null>): Promise<string | null> {
  for (const [path, blob] of files) {
    const found = await readWorkingFile(root, path);
    if (found !== null && !isBlob(found, blob)) return path;
  }
  return null;
}

/** All paths whose working file is not what is committed, also where it is gone; one over the limit counts as edited. */
export async function editedFiles(
  root: string,
  files: ReadonlyMap<string, BlobId | null>,
  options: ReadWorkingFileOptions,
): Promise<readonly string[]> {
  const edited: string[] = [];
  for (const [path, blob] of files) {
    if (!isBlob(await readWorkingFile(root, path, options), blob)) edited.push(path);
  }
  return edited;
}

/** Line ends that git turned into CRLF on checkout make no difference. */
function isBlob(found: Buffer | 'other' | null, blob: BlobId | null): boolean {
  if (found === null || found === 'other' || blob === null) return found === blob;
  return blobIdOf(found) === blob || blobIdOf(withoutCarriageReturns(found)) === blob;
}

/** Whether the working file is exactly the blob; `null` asks whether there is none. */
export async function isWorkingFile(root: string, path: string, blob: BlobId | null): Promise<boolean> {
  const found = await readWorkingFile(root, path);
  if (found === null || blob === null) return found === blob;
  return found !== 'other' && blobIdOf(found) === blob;
}

export interface ReadWorkingFileOptions {
  /** Bytes from which a file is not read. @default none */
  readonly limit?: number;
}

/** Bytes of a regular working file; `null` when nothing is there, `other` for a folder, a link or one over the limit. */
export async function readWorkingFile(
  root: string,
  path: string,
  { limit = Infinity }: ReadWorkingFileOptions = {},
): Promise<Buffer | 'other' | null> {
  const file = join(root, path);
  try {
    const found = await lstat(file);
    if (!found.isFile() || found.size >= limit) return 'other';
    return await readFile(file);
  } catch (error) {
    const code = errnoOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
}

/** What to do with a path: nothing, remove it, or rename a staged file to it. */
type Staged = 'keep' | 'remove' | { readonly file: string };

async function stage(
  tree: WorkingTree,
  folders: FolderSet,
  wanted: { readonly path: string; readonly bytes: Uint8Array | null },
): Promise<Staged> {
  assertRepositoryPath(wanted.path);
  const isThere = folders.enter(dirname(wanted.path), { make: wanted.bytes !== null });
  if (wanted.bytes === null) return isThere ? 'remove' : 'keep';
  const found = await readWorkingFile(tree.root, wanted.path);
  if (found !== null && found !== 'other' && found.equals(wanted.bytes)) return 'keep';
  return { file: await stageFile(wanted.bytes, { temporary: tree.temporary }) };
}

async function place(file: string, staged: Staged): Promise<void> {
  if (staged === 'keep') return;
  if (staged === 'remove') return rm(file, { force: true });
  try {
    await rename(staged.file, file);
  } catch (error) {
    rmSync(staged.file, { force: true });
    throw error;
  }
}

/** Folders of one settling: each is checked once, and flushed once at the end. */
class FolderSet {
  /** Absolute paths whose entries changed. */
  readonly changed = new Set<string>();
  readonly #root: string;
  readonly #entered = new Map<string, boolean>();

  constructor(root: string) {
    this.#root = root;
  }

  /** Whether the folder is there, after making it when `make`. Throws on a link that leads out of the root. */
  enter(folder: string, options: { readonly make: boolean }): boolean {
    if (folder === '.') return true;
    const known = this.#entered.get(folder);
    if (known === true || (known === false && !options.make)) return known;
    const isThere = this.enter(dirname(folder), options) && this.#check(folder, options.make);
    this.#entered.set(folder, isThere);
    return isThere;
  }

  #check(folder: string, make: boolean): boolean {
    const path = join(this.#root, folder);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) {
      if (!make) return false;
      mkdirSync(path);
      this.changed.add(dirname(path));
      return true;
    }
    // A planted link would let a commit write anywhere the user can.
    if (found.isSymbolicLink() && !realpathSync(path).startsWith(this.#root + sep)) {
      throw new Error(
        `Folder "${folder}" is a link that leads out of the repository: wanted a folder; replace the link`,
      );
    }
    return true;
  }
}

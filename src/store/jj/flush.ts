/**
 * Makes a commit survive power loss. jj, unlike our git, does not flush the objects it writes; the branch must not name
 * a commit that a power cut can take away.
 */
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errnoOf } from '../../record/errno.ts';
import { blobIdOf } from '../blob-id.ts';
import { syncFolder } from '../durable-file.ts';
import { findFolder } from '../git/tree-path.ts';
import type { Files } from '../git/working-files.ts';
import type { CommitId } from '../version-store.ts';
import { type Objects, readCommit } from './our-commit.ts';

/** Flushes the commit, the trees on the way to `files`, their blobs and the folders of all these. */
export async function flushCommit(objects: Objects, commit: CommitId, files: Files): Promise<void> {
  const { location, reader } = objects;
  const ids = new Set<string>([commit]);
  const { tree } = await readCommit(objects, commit);
  ids.add(tree);
  const folders = new Set<string>();
  for (const [path, bytes] of files) {
    if (bytes !== null) ids.add(blobIdOf(bytes));
    for (let folder = dirname(path); folder !== '.' && !folders.has(folder); folder = dirname(folder))
      folders.add(folder);
  }
  for (const folder of folders) {
    const found = await findFolder(reader, commit, folder);
    if (found !== null) ids.add(found);
  }
  const root = join(location.commonDir, 'objects');
  const names = [...ids].map((id) => join(root, id.slice(0, 2), id.slice(2)));
  await Promise.all(names.map(flush));
  await Promise.all([root, ...new Set(names.map(dirname))].map((folder) => syncFolder(folder).catch(unlessAbsent)));
}

async function flush(file: string): Promise<void> {
  try {
    const handle = await open(file, 'r');
    await handle.sync().finally(() => handle.close());
  } catch (error) {
    // In a pack already, which git flushed.
    unlessAbsent(error);
  }
}

function unlessAbsent(error: unknown): void {
  if (errnoOf(error) !== 'ENOENT') throw error;
}

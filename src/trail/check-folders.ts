/** Refuses a change whose files could not be put where they belong: behind a link out of the record, or in a file. */
import { lstatSync, realpathSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { type Refusal, refuse } from '../record/outcome.ts';

/**
 * Checked before anything is published: a commit whose working files cannot follow would hold up every later write.
 *
 * @param root absolute and real
 */
export function checkFolders(root: string, paths: readonly string[]): Refusal | null {
  const folders = new Set(paths.flatMap(foldersOf));
  const wrong = [...folders].sort().find((folder) => !isFolderOf(root, folder));
  if (wrong === undefined) return null;
  return refuse('invalid', `"${wrong}" is not a folder of the record: it is a file, or a link that leaves the record`, {
    field: 'trail_name',
    next: `Put a folder in its place, or use another scope`,
  });
}

function foldersOf(path: string): readonly string[] {
  const folder = dirname(path);
  return folder === '.' ? [] : [folder, ...foldersOf(folder)];
}

function isFolderOf(root: string, folder: string): boolean {
  const path = join(root, folder);
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.isDirectory()) return true;
  if (!found.isSymbolicLink()) return false;
  try {
    return realpathSync(path).startsWith(root + sep);
  } catch {
    return false;
  }
}

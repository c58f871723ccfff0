/** Files that have no business where they lie, by their path and kind alone. */
import { isCheckpointPath, parseEventPath } from '../../ledger/index.ts';
import { governedPath, isThoughtLike, TRAILS_DIR } from '../../record/paths.ts';
import type { Finding } from './report.ts';

const OF_LEDGER = /^ledger\//i;
/** Folders of which nothing may be a link or a submodule: those who read working files would follow it. */
const OF_RECORD = new RegExp(`^(?:${TRAILS_DIR}|hooks)(?:/|$)`, 'i');

/** @param tree Every path of the commit, with whether it is a regular file. */
export function strayFiles(tree: ReadonlyMap<string, boolean>): readonly Finding[] {
  return [...tree].flatMap(([path, isFile]): readonly Finding[] => {
    if (OF_LEDGER.test(path)) {
      if (parseEventPath(path) !== null || isCheckpointPath(path)) return [];
      return [{ verdict: 'inserted', code: 'stray_file', path, message: 'Not an event nor a checkpoint' }];
    }
    if (!isFile && (OF_RECORD.test(path) || isOfRecord(path.toLowerCase())))
      return [unrecorded(path, 'A link or submodule')];
    // Where a file system knows no case, it takes the place of the file that is meant.
    const isDisguised = isOfRecord(path.toLowerCase()) && !isOfRecord(path);
    return isDisguised ? [unrecorded(path, 'A file that differs in case only from one of the record')] : [];
  });
}

function isOfRecord(path: string): boolean {
  return governedPath(path) || isThoughtLike(path);
}

function unrecorded(path: string, message: string): Finding {
  return { verdict: 'unrecorded_change', code: 'stray_file', path, message };
}

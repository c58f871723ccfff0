import type { Index } from '../store/index/index.ts';

/** Paths that the ledger says exist and that are not among `files`, the regular files of the branch. */
export function missingFiles(
  index: Pick<Index, 'pathsWithEvents' | 'lastEventOfPath'>,
  files: ReadonlySet<string>,
): readonly string[] {
  const absent = [...index.pathsWithEvents()].filter((path) => !files.has(path));
  return absent.filter((path) => {
    const last = index.lastEventOfPath(path);
    return last !== null && (last.change.after !== null || !last.event.valid);
  });
}

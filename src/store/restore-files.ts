/** Brings the working files of a change set back to what the branch has. */
import { finalFiles, readWorkingFile } from './git/working-files.ts';
import type { ChangeSet, CommitId, VersionStore } from './version-store.ts';

/**
 * A file that shows neither the old, nor the intended, nor the branch's bytes was edited by a person meanwhile and
 * stays.
 */
export async function restoreFiles(
  root: string,
  changes: ChangeSet,
  store: Pick<VersionStore, 'head' | 'readPath' | 'settle'>,
): Promise<void> {
  const head = store.head();
  const readAt = async (commit: CommitId | null, path: string) =>
    commit === null ? null : store.readPath(commit, path);
  const files = new Map<string, Uint8Array | null>();
  for (const path of finalFiles(changes.commits).keys()) {
    const wanted = await readAt(head, path);
    const shown = await readWorkingFile(root, path);
    const ours = changes.commits.map((commit) => commit.files.get(path)).filter((bytes) => bytes !== undefined);
    const known = [wanted, await readAt(changes.parent, path), ...ours];
    if (shown === null || (shown !== 'other' && known.some((bytes) => bytes && shown.equals(bytes)))) {
      files.set(path, wanted);
    }
  }
  const author = { name: '', email: '' };
  await store.settle({ parent: head, commits: [{ author, seconds: 0, message: '', files }] });
}

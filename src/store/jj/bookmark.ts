/** The bookmark of the record, which other programs on jj leave behind what they commit (FAVA's `push_strategy: manual`). */

import { join } from 'node:path';
import { type Outcome, ok, refuse } from '../../record/outcome.ts';
import { BranchRef } from '../git/branch-ref.ts';
import { excludeStateFolder, locateRepository, type RepositoryOptions, STATE_FOLDER } from '../git/repository.ts';
import type { CommitId } from '../version-store.ts';
import type { Variables } from './find-jj.ts';
import { Jj } from './jj.ts';
import { conflictOf } from './publisher.ts';

export interface BookmarkOptions extends RepositoryOptions {
  readonly variables: Variables;
}

/** The commit below the working-copy commit, as git was told last; `null` for none. */
export async function commitBelow({ root, branch }: RepositoryOptions): Promise<CommitId | null> {
  const located = await locateRepository(root);
  return located.ok ? new BranchRef(located.value, branch).headCommit() : null;
}

/** Moves the bookmark forward to the commit below the working-copy commit, making it where there is none. */
export async function moveBookmark(options: BookmarkOptions): Promise<Outcome<null>> {
  const { root, branch, variables } = options;
  const located = await locateRepository(root);
  if (!located.ok) return located;
  // Before the folder is there: jj takes in what nothing excludes.
  await excludeStateFolder(located.value);
  const jj = new Jj({ location: located.value, branch, state: join(root, STATE_FOLDER), variables });
  const ready = await jj.ready();
  if (!ready.ok) return ready;
  const problem = await jj.turn(async (run) => {
    const conflict = await conflictOf(run, branch);
    if (conflict !== null) return conflict;
    const { code, stderr } = await run(['--ignore-working-copy', 'bookmark', 'set', branch, '--revision', '@-']);
    return code === 0 ? '' : stderr.trim() || 'jj was cut off';
  });
  if (problem === '') return ok(null);
  return refuse('wrong_branch', `Bookmark "${branch}" is not below the working copy: ${problem ?? 'jj is busy'}`, {
    next: `Run "jj new ${branch}", or "jj bookmark set ${branch} -r @- --allow-backwards" if the working copy is the record`,
  });
}

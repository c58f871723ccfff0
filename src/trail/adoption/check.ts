/** Whether a repository can be adopted as it is; each reason has a name of its own in `details.fault`. */
import { type Outcome, ok, type Refusal, refuse } from '../../record/outcome.ts';
import { dirtyPaths } from '../../store/git/index.ts';
import { isFile } from '../../store/read-batches.ts';
import type { CommitId, TreeEntry, VersionStore } from '../../store/version-store.ts';
import type { LeftJournal } from './recovery.ts';

/** What only Waymark writes: in a repository that it does not know, somebody else put it there. */
const OURS = ['ledger', 'keys.yaml', '.waymark'] as const;
/** Files that adoption adds to. */
const EXTENDED = ['config.yaml', '.gitattributes'] as const;
const LOOKED_AT = ['trails', 'hooks', ...EXTENDED] as const;
const NAMED = 3;

/** Before the first adoption. */
export function checkUnowned(root: string, tree: readonly TreeEntry[]): Refusal | null {
  const planted = OURS.find((name) => tree.some(({ path }) => path === name || path.startsWith(`${name}/`)));
  if (planted !== undefined) {
    const message = `"${root}" holds "${planted}", which only a record has, and its config.yaml names no owner`;
    return refuse('repository', message, {
      next: `If it was a record, restore config.yaml from history; else remove "${planted}", commit that, and adopt again`,
      details: { fault: 'ledger_without_owner' },
    });
  }
  const odd = tree.find(({ path, mode }) => EXTENDED.some((name) => name === path) && !isFile(mode));
  if (odd === undefined) return null;
  return refuse('repository', `"${odd.path}" is a link or a submodule, and must be a file`, {
    next: `Put a regular file in its place, commit it, and adopt again`,
    details: { fault: odd.mode === '160000' ? 'submodule' : 'link' },
  });
}

export interface CleanOptions {
  readonly root: string;
  readonly store: VersionStore;
  readonly head: CommitId;
  /** Its files are put back whatever they hold. */
  readonly journal: LeftJournal;
}

/** What lies uncommitted would not be adopted, and FAVA itself refuses to go on with it (fava.md 12.1). */
export async function checkClean(options: CleanOptions): Promise<Outcome<null>> {
  const dirty = await dirtyPaths({ ...options, within: LOOKED_AT });
  const paths = dirty.filter((path) => !options.journal.before.has(path));
  if (paths.length === 0) return ok(null);
  const more = paths.length > NAMED ? ` and ${paths.length - NAMED} more` : '';
  const named = paths.slice(0, NAMED).map((path) => `"${path}"`);
  return refuse('uncommitted_edit', `Files were changed and not committed: ${named.join(', ')}${more}`, {
    next: 'Commit them (git: "git add -A trails && git commit"; jj: "jj commit") or discard them, then run "waymark adopt" again',
    details: { fault: 'uncommitted', paths: paths.slice(0, 100) },
  });
}

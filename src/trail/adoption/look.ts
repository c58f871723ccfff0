/** What adoption looks at before it writes anything. */
import { type Outcome, ok, refuse } from '../../record/outcome.ts';
import { commitBelow } from '../../store/jj/index.ts';
import type { CommitId, TreeEntry, VersionStore } from '../../store/version-store.ts';
import { DEFAULT_BRANCH, type FavaRepository, type Located } from '../locate.ts';
import { type OpenOptions, openVersionStore } from '../open.ts';
import { checkClean, checkUnowned } from './check.ts';
import { type LeftJournal, readJournal } from './recovery.ts';

export interface Found {
  readonly repository: Located | FavaRepository;
  readonly root: string;
  readonly store: VersionStore;
  /** The commit that is adopted. */
  readonly head: CommitId;
  readonly tree: readonly TreeEntry[];
  readonly journal: LeftJournal;
}

/** The branch of the record; of a repository that is none yet, the one that is checked out. */
export async function openAdoptedStore(
  root: string,
  { waymark }: Located | FavaRepository,
  variables: OpenOptions['env'],
): Promise<Outcome<VersionStore>> {
  const store = await openVersionStore({ root, branch: waymark?.branch ?? DEFAULT_BRANCH, variables });
  if (!store.ok || waymark !== undefined || store.value.kind === 'jujutsu') return store;
  const branch = store.value.checkedOut();
  if (branch === DEFAULT_BRANCH) return store;
  await store.value.close();
  if (branch !== null) return openVersionStore({ root, branch, variables });
  return refuse('wrong_branch', `HEAD of "${root}" is detached`, {
    next: `Run "git switch ${DEFAULT_BRANCH}" there, then "waymark adopt" again`,
  });
}

/** Whether it can be adopted as it lies there. */
export async function look(at: Pick<Found, 'repository' | 'root' | 'store'>): Promise<Outcome<Found>> {
  const { repository, root, store } = at;
  // FAVA leaves the bookmark behind what it commits, or makes none.
  const head = store.kind === 'jujutsu' ? await commitBelow({ root, branch: store.branch }) : store.head();
  if (head === null) {
    return refuse('repository', `Branch "${store.branch}" of "${root}" has no commit`, {
      next: 'Commit the FAVA repository there, then run "waymark adopt" again',
    });
  }
  const tree = await store.list(head, '');
  const planted = repository.waymark === undefined ? checkUnowned(root, tree) : null;
  if (planted !== null) return planted;
  const journal = readJournal(root);
  if (!journal.ok) return journal;
  const clean = await checkClean({ root, store, head, journal: journal.value });
  return clean.ok ? ok({ ...at, head, tree, journal: journal.value }) : clean;
}

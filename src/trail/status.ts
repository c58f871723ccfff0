/** What a person who runs the record wants to know at a glance, and everything that is not as it should be. */
import { compareWithRemembered, rootOf, type SeenVerdict } from '../ledger/index.ts';
import type { Principal } from '../record/principal.ts';
import { classesOf } from '../record/visibility.ts';
import type { Index, IndexCounts, UnverifiedFile } from '../store/index/index.ts';
import type { Problem } from '../store/index/types.ts';
import type { IndexLag } from '../store/repository.ts';
import type { OpenRecord } from './open.ts';
import { settingsProblems } from './settings.ts';

export interface WriterStatus {
  readonly log: string;
  readonly agent_id: string;
  /** Number of events. */
  readonly size: number;
  /** Against the newest checkpoint this machine remembers. */
  readonly remembered: SeenVerdict;
}

export interface Status {
  readonly root: string;
  readonly repository_id: string;
  readonly branch: string;
  readonly head: string | null;
  readonly index: 'in_step' | IndexLag;
  readonly counts: IndexCounts;
  /** Proposals that wait for a person; exact to 1,000. */
  readonly queue: number;
  readonly unverified: readonly UnverifiedFile[];
  readonly problems: readonly Problem[];
  readonly writers: readonly WriterStatus[];
  /** Keys of config.yaml this version does not know. */
  readonly unknown_settings: readonly string[];
  /** The branch HEAD is on, when that is not the record's; `(detached)` when on none. */
  readonly wrong_branch?: string;
  readonly identity: Principal;
}

const LISTED = 100;

export async function status(record: OpenRecord, principal: Principal): Promise<Status> {
  const { repository, located, seenFolder } = record;
  const { store, root, trust } = repository;
  const { value, state } = await repository.read((index) => indexStatus(index, seenFolder));
  const current = store.checkedOut();
  return {
    root,
    repository_id: trust.repositoryId,
    branch: store.branch,
    head: store.head(),
    index: state ?? 'in_step',
    ...value,
    unknown_settings: located.config.unknownKeys,
    ...(current === store.branch ? {} : { wrong_branch: current ?? '(detached)' }),
    identity: principal,
  };
}

/** The part of the status that the index answers. */
export type IndexStatus = Pick<Status, 'counts' | 'queue' | 'unverified' | 'problems' | 'writers'>;

export function indexStatus(index: Index, seenFolder: string): IndexStatus {
  return {
    counts: countsOf(index),
    queue: queueLength(index),
    unverified: index.unverified(LISTED),
    problems: [...index.problems(), ...settingsProblems(index)].slice(0, LISTED),
    writers: index.writers().map(({ log, agent_id, size, peaks }) => {
      const rootAt = (at: number) => (at === size ? rootOf(peaks) : null);
      return { log, agent_id, size, remembered: compareWithRemembered({ dir: seenFolder, log }, { size, rootAt }) };
    }),
  };
}

function countsOf(index: Index): IndexCounts {
  const counts = index.counts();
  return { ...counts, problems: counts.problems + settingsProblems(index).length };
}

function queueLength(index: Index): number {
  const scopes = index.scopes().map(({ scope }) => scope);
  const filters = { statuses: ['proposed' as const] };
  const query = { scopes, classes: classesOf('authoring'), tokens: [], filters, order: 'newest' as const, limit: 0 };
  const { total } = index.recall(query);
  return 'exact' in total ? total.exact : total.at_least;
}

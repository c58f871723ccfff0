/** What a person who runs the record wants to know at a glance, and everything that is not as it should be. */
import { compareWithRemembered, rememberedLogs, rootOf, type SeenVerdict } from '../ledger/index.ts';
import type { Principal } from '../record/principal.ts';
import type { Index, IndexCounts, UnverifiedFile } from '../store/index/index.ts';
import type { Problem } from '../store/index/types.ts';
import { isLossDeclared } from '../store/losses.ts';
import type { IndexLag } from '../store/repository.ts';
import { type DueForReview, dueForReview } from './due.ts';
import type { OpenRecord } from './open.ts';
import { settingsReader } from './settings.ts';
import { type SettingNotice, settingsDifferences } from './settings-differences.ts';
import { settingsStatus } from './settings-status.ts';
import { DAY_MS, waitingIn } from './waiting.ts';

export interface WriterStatus {
  readonly log: string;
  readonly agent_id: string;
  /** Number of events. */
  readonly size: number;
  /** Against the newest checkpoint this machine remembers; `restored`: cut, and its holder declared the loss. */
  readonly remembered: SeenVerdict | 'restored';
}

export interface Status {
  readonly root: string;
  readonly repository_id: string;
  readonly branch: string;
  readonly head: string | null;
  readonly index: 'in_step' | IndexLag;
  readonly counts: IndexCounts;
  /** Proposals that wait for a person; exact to 1,000 a scope. */
  readonly queue: number;
  /** ISO 8601; when the longest waiting was put forward. */
  readonly queue_since?: string;
  /** Proposals that wait longer than seven days. */
  readonly queue_over_7_days: number;
  readonly unverified: readonly UnverifiedFile[];
  readonly problems: readonly Problem[];
  readonly writers: readonly WriterStatus[];
  /** Settings that are not what a file says, and hooks. */
  readonly settings: readonly SettingNotice[];
  /** Drafts older than `stale_draft_days` of their scope; for operators. */
  readonly stale_drafts?: StaleDrafts;
  /** Approved thoughts that ask for another look; for operators. */
  readonly due?: DueForReview;
  /** Keys of config.yaml this version does not know. */
  readonly unknown_settings: readonly string[];
  /** The branch HEAD is on, when that is not the record's; `(detached)` when on none. */
  readonly wrong_branch?: string;
  readonly identity: Principal;
}

export interface StaleDrafts {
  readonly count: number;
  /** The oldest of each scope first, at most 100. */
  readonly ids: readonly string[];
}

const LISTED = 100;

/**
 * Of the record as a whole, for a process of its machine.
 *
 * @throws Error for a principal with grants: it counts and names what they may not see.
 */
export async function status(record: OpenRecord, principal: Principal): Promise<Status> {
  if (principal.grants !== undefined) throw new Error('The status of a record is of every scope');
  const { repository, located, seenFolder } = record;
  const { store, root, trust } = repository;
  const { value, state } = await repository.read((index) => ({
    ...indexStatus(index, seenFolder),
    ...queueStatus(index, record.now()),
    ...(principal.role === 'operator'
      ? { stale_drafts: staleDrafts(index, record.now()), due: dueForReview(index, { now: record.now(), principal }) }
      : {}),
  }));
  const current = store.checkedOut();
  return {
    root,
    repository_id: trust.repositoryId,
    branch: store.branch,
    head: store.head(),
    index: state ?? 'in_step',
    ...value,
    settings: await settingsStatus(record, repository.index.reader()),
    unknown_settings: located.config.unknownKeys,
    ...(current === store.branch ? {} : { wrong_branch: current ?? '(detached)' }),
    identity: principal,
  };
}

/** The part of the status that the index answers; `settings` without what only the machine knows. */
export type IndexStatus = Pick<Status, 'counts' | 'unverified' | 'problems' | 'writers' | 'settings'>;

export function indexStatus(index: Index, seenFolder: string): IndexStatus {
  const memory = rememberedLogs(seenFolder);
  return {
    counts: index.counts(),
    unverified: index.unverified(LISTED),
    problems: index.problems().slice(0, LISTED),
    settings: settingsDifferences(index),
    writers: index.writers().map(({ log, agent_id, size, peaks }) => {
      const rootAt = (at: number) => (at === size ? rootOf(peaks) : null);
      const verdict = compareWithRemembered({ dir: seenFolder, log }, { size, rootAt });
      const remembered = memory.get(log);
      const isDeclared = verdict === 'cut' && remembered !== undefined && isLossDeclared(index, { log, remembered });
      return { log, agent_id, size, remembered: isDeclared ? 'restored' : verdict };
    }),
  };
}

/** FAVA documents the key and obeys it nowhere (fava.md 1.6); here it only marks. */
function staleDrafts(index: Index, now: number): StaleDrafts {
  const settings = settingsReader(index);
  const found = index.scopes().flatMap(({ scope }) => {
    const days = settings.of(scope).stale_draft_days ?? 0;
    return days === 0 ? [] : [index.draftsBefore(now - days * DAY_MS, { scope, limit: LISTED })];
  });
  return {
    count: found.reduce((sum, { count }) => sum + count, 0),
    ids: found.flatMap(({ ids }) => ids).slice(0, LISTED),
  };
}

function queueStatus(index: Index, now: number): Pick<Status, 'queue' | 'queue_since' | 'queue_over_7_days'> {
  const { count, since, older } = waitingIn(index, { scopes: index.scopes().map(({ scope }) => scope), now });
  return {
    queue: count,
    ...(since === null ? {} : { queue_since: new Date(since).toISOString() }),
    queue_over_7_days: older,
  };
}

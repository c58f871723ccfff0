/** The indexed commit, settings, problems, and what there is to count. Counts are for status and doctor, not for views. */
import type { Database } from 'better-sqlite3';
import { QUARANTINED } from '../../record/lifecycle.ts';
import { DUE, LAST_KNOWN } from '../../record/temporal.ts';
import { VISIBILITY_CLASSES, type VisibilityClass } from '../../record/visibility.ts';
import type { CommitId } from '../version-store.ts';
import type { Problem, UnverifiedReason } from './types.ts';

export interface ScopeCount {
  readonly scope: string;
  /** Approved and current thoughts. */
  readonly governed: number;
}

/** How many thoughts one agent wrote that are in one class and scope. */
export interface Tally {
  readonly scope: string;
  readonly class: VisibilityClass;
  readonly agent_id: string;
  /** At least 1. */
  readonly count: number;
}

export interface IndexCounts {
  readonly thoughts: number;
  readonly governed: number;
  readonly authored: number;
  readonly retired: number;
  /** Not counting those in quarantine. */
  readonly unverified: number;
  /** As their events say, and withheld until an operator decides about them anew. */
  readonly quarantined: number;
  readonly events: number;
  readonly problems: number;
}

export interface Setting {
  readonly path: string;
  readonly bytes: Uint8Array;
}

export interface Overview {
  /** The commit everything in the index comes from. */
  setIndexedCommit(commit: CommitId): void;
  indexedCommit(): CommitId | null;
  putProblem(problem: Problem): void;
  removeProblem(path: string): void;
  /** By path. */
  problems(): readonly Problem[];
  /** `null` removes it. */
  putSetting(path: string, bytes: Uint8Array | null): void;
  setting(path: string): Uint8Array | null;
  /** Settings whose path starts with `prefix`, by path. */
  settings(prefix: string): readonly Setting[];
  /** Scopes that hold a thought file or a settings file, whoever may see it, by name. */
  scopes(): readonly ScopeCount[];
  counts(): IndexCounts;
  /** Everything there is to count, whoever may see it. */
  tallies(): readonly Tally[];
  /** Drafts of a scope that were created before `time` (Unix milliseconds): how many, and the ids of the oldest. */
  draftsBefore(time: number, where: { readonly scope: string; readonly limit: number }): DraftsBefore;
  /** Approved, current thoughts with a date that asks for a person at `now` (microseconds), the longest due first. */
  dueThoughts(now: bigint, where: DueQuery): DueThoughts;
  /** Of the events, the time of the last that was recorded at `knownAt`, in Unix milliseconds; `null` when none was. */
  lastKnownAt(knownAt: number): number | null;
  /** Proposals of a scope, of one author where named, and how long they wait. Exact to the 1,000 oldest thoughts. */
  waiting(where: WaitingQuery): Waiting;
  /** Of the newest `limit` decided thoughts of an agent in these scopes, how many were rejected; `null`: in every scope. */
  decidedOf(agentId: string, where: DecidedQuery): DecidedCount;
  /** Thought files the ledger does not back, by path; the first `limit`. Without those in quarantine. */
  unverified(limit: number): readonly UnverifiedFile[];
  /** Paths that an event named last, in no order. For a whole verification. */
  pathsWithEvents(): IterableIterator<string>;
}

export interface DecidedQuery {
  readonly scopes: readonly string[] | null;
  readonly limit: number;
}

export interface DecidedCount {
  readonly rejected: number;
  readonly decided: number;
}

export interface DraftsBefore {
  readonly count: number;
  readonly ids: readonly string[];
}

export interface DueQuery {
  /** `null`: every scope. */
  readonly scopes: readonly string[] | null;
  readonly limit: number;
}

export interface DueThoughts {
  readonly count: number;
  /** Their paths. */
  readonly paths: readonly string[];
}

export interface WaitingQuery {
  readonly scope: string;
  /** @default everybody */
  readonly agent_id?: string;
  /** Unix milliseconds. @default none is older */
  readonly before?: number;
}

export interface Waiting {
  readonly count: number;
  /** When the oldest was put forward, Unix milliseconds; `null` when none waits. */
  readonly since: number | null;
  /** Those put forward before the time asked about. */
  readonly older: number;
}

export interface UnverifiedFile {
  readonly path: string;
  readonly reason: UnverifiedReason;
}

interface OldDrafts {
  readonly authored: number;
  readonly scope: string;
  /** Microseconds since 1970. */
  readonly before: number;
}

interface DueParams {
  readonly governed: number;
  readonly now: bigint;
  /** As JSON. */
  readonly scopes: string | null;
}

const SCOPE_SETTINGS = /^trails\/(.+)\/\.fava-trails\.yaml$/;

export function overview(db: Database): Overview {
  const setCommit = db.prepare(`INSERT OR REPLACE INTO meta (key, value) VALUES ('indexed_commit', ?)`);
  const commit = db.prepare<[], string>(`SELECT value FROM meta WHERE key = 'indexed_commit'`).pluck();
  const addProblem = db.prepare('INSERT OR REPLACE INTO problem VALUES (@path, @line, @code, @message)');
  const dropProblem = db.prepare('DELETE FROM problem WHERE path = ?');
  const allProblems = db.prepare<[], Problem>('SELECT path, line, code, message FROM problem ORDER BY path');
  const addSetting = db.prepare('INSERT OR REPLACE INTO setting (path, bytes) VALUES (?, ?)');
  const dropSetting = db.prepare('DELETE FROM setting WHERE path = ?');
  const oneSetting = db.prepare<[string], Uint8Array>('SELECT bytes FROM setting WHERE path = ?').pluck();
  const someSettings = db.prepare<{ prefix: string }, Setting>(
    'SELECT path, bytes FROM setting WHERE path >= @prefix AND substr(path, 1, length(@prefix)) = @prefix ORDER BY path',
  );
  const settingPaths = db.prepare<[], string>('SELECT path FROM setting').pluck();
  const usedScopes = db.prepare<{ governed: number }, ScopeCount>(
    `SELECT name AS scope, coalesce(sum(n) FILTER (WHERE class = @governed), 0) AS governed
     FROM tally JOIN scope USING (scope_id) GROUP BY scope_id`,
  );
  const classCounts = db.prepare<[], { class: number; n: number }>(
    'SELECT class, sum(n) AS n FROM tally GROUP BY class',
  );
  const allTallies = db.prepare<[], Tally>(
    'SELECT name AS scope, class, agent_id, n AS count FROM tally JOIN scope USING (scope_id)',
  );
  const unverifiedFiles = db.prepare<[number], UnverifiedFile>(
    `SELECT path, reason FROM thought WHERE class = ${VISIBILITY_CLASSES.unverified} AND reason <> '${QUARANTINED}' ORDER BY path LIMIT ?`,
  );
  const quarantined = db
    .prepare<[], number>(
      `SELECT count(*) FROM thought WHERE class = ${VISIBILITY_CLASSES.unverified} AND reason = '${QUARANTINED}'`,
    )
    .pluck();
  const oldDrafts = `FROM thought JOIN scope USING (scope_id)
    WHERE class = @authored AND name = @scope AND created < @before AND status = 'draft'`;
  const countOldDrafts = db.prepare<OldDrafts, number>(`SELECT count(*) ${oldDrafts}`).pluck();
  const listOldDrafts = db
    .prepare<OldDrafts & { limit: number }, string>(`SELECT id ${oldDrafts} ORDER BY created, id LIMIT @limit`)
    .pluck();
  const due = `FROM thought WHERE class = @governed AND ${DUE} AND (@scopes IS NULL OR scope_id IN
    (SELECT scope_id FROM scope WHERE name IN (SELECT value FROM json_each(@scopes))))`;
  const countDue = db.prepare<DueParams, number>(`SELECT count(*) ${due}`).pluck();
  const listDue = db
    .prepare<DueParams & { limit: number }, string>(`SELECT path ${due} ORDER BY due_at, id, path LIMIT @limit`)
    .pluck();
  const lastKnown = db.prepare<{ known_at: number }, number | null>(LAST_KNOWN).pluck();
  // It was put forward when it last changed.
  const waitingSince = db.prepare<Omit<OldDrafts, 'before'> & { agent: string | null; before: number }, Waiting>(
    `SELECT count(*) AS count, min(at) AS since, total(at < @before) AS older FROM (
       SELECT changed / 1000 AS at FROM thought INDEXED BY thought_by_change
       WHERE class = @authored AND scope_id = (SELECT scope_id FROM scope WHERE name = @scope) AND status = 'proposed'
         AND (@agent IS NULL OR agent_id = @agent)
       ORDER BY changed LIMIT 1000)`,
  );
  const decided = db.prepare<{ agent: string; scopes: string | null; limit: number }, DecidedCount>(
    `SELECT total(status = 'rejected') AS rejected, count(*) AS decided FROM (
       SELECT status FROM thought
       WHERE agent_id = @agent AND held = 1 AND status IN ('approved', 'rejected') AND (@scopes IS NULL OR scope_id IN
         (SELECT scope_id FROM scope WHERE name IN (SELECT value FROM json_each(@scopes))))
       ORDER BY created DESC, id DESC LIMIT @limit)`,
  );
  const eventPaths = db.prepare<[], string>('SELECT path FROM path_event').pluck();
  const eventCount = db.prepare<[], number>('SELECT count(*) FROM event').pluck();
  const problemCount = db.prepare<[], number>('SELECT count(*) FROM problem').pluck();

  return {
    setIndexedCommit: (id) => void setCommit.run(id),
    indexedCommit: () => commit.get() ?? null,
    putProblem: ({ path, line, code, message }) => void addProblem.run({ path, line, code, message }),
    removeProblem: (path) => void dropProblem.run(path),
    problems: () => allProblems.all(),
    putSetting: (path, bytes) => void (bytes === null ? dropSetting.run(path) : addSetting.run(path, bytes)),
    setting: (path) => oneSetting.get(path) ?? null,
    settings: (prefix) => someSettings.all({ prefix }),
    scopes() {
      const counted = new Map<string, ScopeCount>();
      for (const path of settingPaths.all()) {
        const scope = SCOPE_SETTINGS.exec(path)?.[1];
        if (scope !== undefined) counted.set(scope, { scope, governed: 0 });
      }
      for (const used of usedScopes.all({ governed: VISIBILITY_CLASSES.governed })) counted.set(used.scope, used);
      return [...counted.values()].sort((a, b) => (a.scope < b.scope ? -1 : 1));
    },
    draftsBefore(time, { scope, limit }) {
      const where = { authored: VISIBILITY_CLASSES.authored, scope, before: time * 1000 };
      return { count: countOldDrafts.get(where) ?? 0, ids: listOldDrafts.all({ ...where, limit }) };
    },
    dueThoughts(now, { scopes, limit }) {
      const named = scopes === null ? null : JSON.stringify(scopes);
      const where = { governed: VISIBILITY_CLASSES.governed, now, scopes: named };
      return { count: countDue.get(where) ?? 0, paths: listDue.all({ ...where, limit }) };
    },
    lastKnownAt: (knownAt) => lastKnown.get({ known_at: knownAt }) ?? null,
    waiting({ scope, agent_id: agent = null, before = 0 }) {
      const where = { authored: VISIBILITY_CLASSES.authored, scope, agent, before };
      return waitingSince.get(where) ?? { count: 0, since: null, older: 0 };
    },
    decidedOf(agent, { scopes, limit }) {
      const named = scopes === null ? null : JSON.stringify(scopes);
      return decided.get({ agent, scopes: named, limit }) ?? { rejected: 0, decided: 0 };
    },
    unverified: (limit) => unverifiedFiles.all(limit),
    pathsWithEvents: () => eventPaths.iterate(),
    tallies: () => allTallies.all(),
    counts() {
      const byClass = new Map(classCounts.all().map((row) => [row.class, row.n]));
      const of = (visibility: number) => byClass.get(visibility) ?? 0;
      const { governed, authored, retired, unverified } = VISIBILITY_CLASSES;
      const withheld = quarantined.get() ?? 0;
      return {
        thoughts: [...byClass.values()].reduce((sum, n) => sum + n, 0),
        governed: of(governed),
        authored: of(authored),
        retired: of(retired),
        unverified: of(unverified) - withheld,
        quarantined: withheld,
        events: eventCount.get() ?? 0,
        problems: problemCount.get() ?? 0,
      };
    },
  };
}

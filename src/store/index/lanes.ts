/** Where a query may look: key ranges for visibility and scope, conditions for everything else. */
import type { Database } from 'better-sqlite3';
import { VALID_AT } from '../../record/temporal.ts';
import { classesOf, type VisibilityClass } from '../../record/visibility.ts';
import type { RecallFilters, RecallQuery } from './types.ts';

/** One class in one scope, or (`null`) in all. */
export interface Lane {
  readonly class: VisibilityClass;
  readonly scope: number | null;
}

/** SQL on `thought t`, each part with its leading ` AND `, and its named parameters. */
export interface Conditions {
  readonly sql: string;
  readonly params: Readonly<Record<string, string | number | bigint>>;
}

export interface Reach {
  readonly lanes: readonly Lane[];
  readonly conditions: Conditions;
}

/** Each lane costs a search of its own; above this, one search per class and a condition on the scope are cheaper. */
const MAX_LANES = 16;

export function reachOf(db: Database): (query: RecallQuery) => Reach {
  const known = db
    .prepare<[string], number>('SELECT scope_id FROM scope WHERE name IN (SELECT value FROM json_each(?))')
    .pluck();
  const count = db.prepare<[], number>('SELECT count(*) FROM scope').pluck();

  return ({ scopes, classes, filters }) => {
    const ids = known.all(JSON.stringify(scopes));
    if (ids.length > 0 && ids.length === count.get()) {
      return {
        lanes: classes.map((group) => ({ class: group, scope: null })),
        conditions: conditionsOf(filters, null),
      };
    }
    if (ids.length * classes.length <= MAX_LANES) {
      const lanes = classes.flatMap((group) => ids.map((scope) => ({ class: group, scope })));
      return { lanes, conditions: conditionsOf(filters, null) };
    }
    return { lanes: classes.map((group) => ({ class: group, scope: null })), conditions: conditionsOf(filters, ids) };
  };
}

/** The rows that `mayReplay` can hold of: it decides itself on what comes back. */
const STANDS = ` AND EXISTS (SELECT 1 FROM present.thought AS now
  WHERE now.id = t.id AND now.status = 'approved' AND now.class IN (${classesOf('lineage').join()}))`;

function conditionsOf(filters: RecallFilters, scopes: readonly number[] | null): Conditions {
  const parts: string[] = [];
  const params: Record<string, string | number | bigint> = {};
  if (scopes !== null) add('t.scope_id IN (SELECT value FROM json_each(@scopes))', 'scopes', JSON.stringify(scopes));
  if (filters.namespace !== undefined) {
    const inside = `substr(t.namespace, 1, length(@namespace) + 1) = @namespace || '/'`;
    add(`(t.namespace = @namespace OR ${inside})`, 'namespace', filters.namespace);
  }
  if (filters.project !== undefined) add('t.project = @project', 'project', filters.project);
  if (filters.branch !== undefined) add('t.branch = @branch', 'branch', filters.branch);
  if (filters.valid_at !== undefined) add(VALID_AT, 'valid_at', filters.valid_at);
  if (filters.stands === true) parts.push(STANDS);
  if (filters.superseded === false) parts.push(' AND t.superseded = 0');
  if (filters.agent_id !== undefined) add('t.agent_id = @agent', 'agent', filters.agent_id);
  if (filters.source_type !== undefined) add('t.source_type = @source_type', 'source_type', filters.source_type);
  if (filters.min_confidence !== undefined) add('t.confidence >= @confidence', 'confidence', filters.min_confidence);
  if (filters.statuses !== undefined) {
    add('t.status IN (SELECT value FROM json_each(@statuses))', 'statuses', JSON.stringify(filters.statuses));
  }
  if (filters.tags !== undefined && filters.tags.length > 0) {
    const missing = 'SELECT value FROM json_each(@tags) EXCEPT SELECT value FROM json_each(t.tags)';
    add(`NOT EXISTS (${missing})`, 'tags', JSON.stringify(filters.tags));
  }
  return { sql: parts.join(''), params };

  function add(sql: string, name: string, value: string | number | bigint): void {
    parts.push(` AND ${sql}`);
    params[name] = value;
  }
}

/** A page of a walk as `trace` answers it: atrib's members in its order, then ours. */
import { isHash } from '../../ledger/hash.ts';
import { sidecarMatches } from '../../ledger/index.ts';
import type { LinkKind } from '../../ledger/links.ts';
import type { Hash } from '../../ledger/types.ts';
import { shownLine } from './shown-text.ts';
import { shownContent, summaryOf } from './sidecar.ts';
import { TRACE_LIMITS, type Verification, type VisitedRecord, type VisitedWhole } from './types.ts';
import type { Visit } from './walk.ts';

export interface RenderOptions {
  readonly compact: boolean;
  readonly includeContent: boolean;
  /** Links that are shown beside `informed_by`. */
  readonly follow: readonly LinkKind[];
}

/** What an answer may hold, in characters of JSON: beyond it a page ends, with its cursor. */
const MAX_PAGE = 1024 * 1024;
/** Of a hash in a list, and of one in `dangling` and its detail. */
const HASH_COST = 76;
const DANGLING_COST = 200;
const RECORD_COST = 900;

/** Says whether one more record fits, given those there are; asked for each in turn. */
export function roomFor(options: RenderOptions): (visits: readonly Visit[]) => boolean {
  let size = 0;
  let weighed = 0;
  return (visits) => {
    for (const visit of visits.slice(weighed)) size += weightOf(visit, options);
    weighed = visits.length;
    return size < MAX_PAGE;
  };
}

function weightOf({ found, next, absent }: Visit, { compact, includeContent }: RenderOptions): number {
  const lists = 3 * Math.min(next.length, TRACE_LIMITS.list) * HASH_COST;
  const danglings = absent.size * DANGLING_COST;
  const thought = lengthOf(found.thought);
  if (!compact) return RECORD_COST + lists + danglings + thought + lengthOf(found.record);
  const content = includeContent ? lengthOf(shownContent(found.local)) : 0;
  return RECORD_COST + lists + danglings + thought + lengthOf(summaryOf(found.local)) + content;
}

function lengthOf(value: unknown): number {
  return value === undefined ? 0 : JSON.stringify(value).length;
}

export interface RenderFacts extends RenderOptions {
  readonly verification: Verification | undefined;
  /** Whether a hash that the walk follows was met and could not be shown. */
  readonly isDangling: (hash: Hash) => boolean;
}

export function renderVisit(visit: Visit, facts: RenderFacts): VisitedRecord | VisitedWhole {
  const { found, depth, hash, next } = visit;
  const [parents, parentTotal] = cut([...visit.parents]);
  const [shownNext, nextTotal] = cut(next);
  const ours = {
    ...(parentTotal === undefined ? {} : { parent_total: parentTotal }),
    ...(nextTotal === undefined ? {} : { next_total: nextTotal }),
    ...(facts.verification === undefined ? {} : { verification: facts.verification }),
    ...(found.thought === undefined ? {} : { thought: found.thought }),
    ...matchOf(visit),
    ...(found.conflicts === undefined || found.conflicts.length === 0 ? {} : { sidecar_conflicts: found.conflicts }),
  };
  const place = { depth, record_hash: hash, parent_hashes: parents };
  if (!facts.compact) {
    // As it is stored: whoever asks for it wants to hash it.
    const record: VisitedWhole['record'] = JSON.parse(JSON.stringify(found.record));
    return { ...place, record, source: found.source, next_informed_by: shownNext, ...ours };
  }
  const isLost = (each: Hash) => visit.absent.has(each) || facts.isDangling(each);
  const summary = summaryOf(found.local);
  return {
    ...place,
    source: found.source,
    ...requiredOf(found.record),
    next_informed_by: shownNext,
    next_resolved: shownNext.filter((each) => !isLost(each)),
    next_dangling: shownNext.filter(isLost),
    ...(summary === undefined ? {} : { sidecar_summary: summary }),
    ...optionalOf(found.record),
    ...(facts.includeContent ? shownContent(found.local) : {}),
    ...followedOf(found.record, facts.follow),
    ...ours,
  };
}

/** The record is parsed and no more: a malformed member is shown as text, and `verification` says so. */
function requiredOf(record: Readonly<Record<string, unknown>>) {
  const { timestamp } = record;
  return {
    event_type: textOf(record['event_type']),
    context_id: textOf(record['context_id']),
    creator_key: textOf(record['creator_key']),
    timestamp: typeof timestamp === 'number' ? timestamp : 0,
  };
}

function optionalOf(record: Readonly<Record<string, unknown>>) {
  const { informed_by: named, tool_name: tool, args_hash: args, result_hash: result } = record;
  const [causes, total] = cut(Array.isArray(named) ? named.filter(isHash) : []);
  return {
    ...(causes.length === 0 ? {} : { informed_by: causes }),
    ...(total === undefined ? {} : { informed_by_total: total }),
    ...(typeof tool === 'string' ? { tool_name: textOf(tool) } : {}),
    ...(isHash(args) ? { args_hash: args } : {}),
    ...(isHash(result) ? { result_hash: result } : {}),
  };
}

/** The links other than `informed_by`, as the record states them. */
function followedOf(record: Readonly<Record<string, unknown>>, follow: readonly LinkKind[]) {
  const { annotates, revises, chain_root: chain, provenance_token: token } = record;
  return {
    ...(follow.includes('annotates') && isHash(annotates) ? { annotates } : {}),
    ...(follow.includes('revises') && isHash(revises) ? { revises } : {}),
    ...(follow.includes('chain') && isHash(chain) ? { chain_root: chain } : {}),
    ...(follow.includes('provenance') && typeof token === 'string' ? { provenance_token: textOf(token) } : {}),
  };
}

/** The longest a sound record has: an event type. */
const MAX_TEXT = 256;

function textOf(value: unknown): string {
  return typeof value === 'string' ? shownLine(value, { limit: MAX_TEXT }) : '';
}

function matchOf({ found: { record, local, erased_by } }: Visit) {
  if (erased_by !== undefined) return { erased_by };
  const matches = sidecarMatches(record, local);
  return matches === undefined ? {} : { content_matches: matches };
}

/** The first 100, and how many there were when that is fewer. */
function cut<T>(list: readonly T[]): readonly [readonly T[], number | undefined] {
  return list.length <= TRACE_LIMITS.list ? [list, undefined] : [list.slice(0, TRACE_LIMITS.list), list.length];
}

/** Earlier points of the record, by what a person has at hand: a commit, an event or a time. */
import { eventPath } from '../ledger/index.ts';
import { type Outcome, ok, type Refusal, refuse } from '../record/outcome.ts';
import { isoFromMillis, microsOf } from '../record/time.ts';
import type { IndexedEvent } from '../store/index/types.ts';
import type { Repository } from '../store/repository.ts';
import type { CommitId } from '../store/version-store.ts';
import { isHashPrefix } from './trace/record-by-prefix.ts';

const COMMIT_NAME = /^[0-9a-f]{4,40}$/;
/** Points that an answer offers. */
const OFFERED = 10;

export interface PointOptions {
  readonly scope: string;
  /** The argument the name came in. */
  readonly field: 'op_id' | 'revision';
}

/**
 * The commit of the branch that a name stands for: a commit id or prefix of 4 digits, an event (`sha256:` and 8 digits
 * or more; the record with it), or an ISO 8601 time (the record at the end of that second). A name of no point, or none,
 * is refused with recent points of the scope.
 */
export async function findPoint(
  repository: Repository,
  name: string | undefined,
  options: PointOptions,
): Promise<Outcome<CommitId>> {
  const { field } = options;
  const text = name?.trim().toLowerCase() ?? '';
  if (text === '') return offer(repository, refuse('invalid', `"${field}" is required`, { field, next: '' }), options);
  const commit = await commitOf(repository, text);
  if (commit !== null) return ok(commit);
  const message = `"${field}" names no commit, event or time of this record, or more than one`;
  return offer(repository, refuse('not_found', message, { field, next: '' }), options);
}

async function commitOf(repository: Repository, name: string): Promise<CommitId | null> {
  const { store } = repository;
  if (COMMIT_NAME.test(name)) return store.findCommit(name);
  if (isHashPrefix(name)) {
    const { value } = await repository.read((index) => index.eventsByPrefix(name, 2));
    const [event, second] = value;
    return event === undefined || second !== undefined ? null : store.commitThatAdded(pathOf(event) ?? '');
  }
  const time = microsOf(name);
  return time === null ? null : store.commitAt(Number(time / 1000n));
}

/** Where the event lies; `null` for a record without a log. */
export function pathOf({ envelope }: IndexedEvent): string | null {
  const { waymark } = envelope.record;
  return waymark === undefined ? null : eventPath(waymark.log, waymark.seq);
}

async function offer(repository: Repository, refusal: Refusal, options: PointOptions): Promise<Refusal> {
  const { scope, field } = options;
  const { value: events } = await repository.read((index) => index.newestEventsOfScope(scope, OFFERED));
  const points: object[] = [];
  for (const event of events) {
    const { record, _local: local } = event.envelope;
    const commit = await repository.store.commitThatAdded(pathOf(event) ?? '');
    points.push({
      time: isoFromMillis(record.timestamp),
      verb: local?.verb,
      thought_id: local?.thought_id,
      event: event.hash,
      ...(commit === null ? {} : { commit: commit.slice(0, 12) }),
    });
  }
  const next =
    points.length === 0
      ? `Nothing was ever changed in scope "${scope}": look for another with list_scopes`
      : `Send a commit, an event or a time like 2026-11-30T09:00:00Z as "${field}"; the newest changes of the scope are under "points"`;
  return { ...refusal, next, details: { points } };
}

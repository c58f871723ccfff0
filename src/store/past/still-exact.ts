/** Whether an index of an earlier time is still what would be built now: most commits add events of later alone. */
import { parseEventPath } from '../../ledger/index.ts';
import type { Verb } from '../../ledger/types.ts';
import { isKnownAt } from '../../record/temporal.ts';
import { readEventFile } from '../event-file.ts';
import { isEventFile } from '../event-reader.ts';
import type { Index } from '../index/index.ts';
import { isFile, readBatches } from '../read-batches.ts';
import type { CommitId, VersionStore } from '../version-store.ts';

/** A longer difference takes about as long to look through as building anew. */
const LONG_DIFFERENCE = 5_000;
/** They take texts back out of the past. */
const REDACTING: readonly (Verb | undefined)[] = ['erase', 'purge'];

export interface Built {
  readonly past: Index;
  /** Unix milliseconds. */
  readonly knownAt: number;
  /** The commit it was built from, or found exact at last. */
  readonly from: CommitId;
}

/** `false` when in doubt. */
export async function isStillExact(
  { past, knownAt, from }: Built,
  store: VersionStore,
  to: CommitId,
): Promise<boolean> {
  // What a loose link waits for may have come.
  if (past.problems().some(({ code }) => code === 'event_missing_prev' || code === 'event_missing_seen')) return false;
  if (!(await store.contains(from, to).catch(() => false))) return false;
  const changes = (await store.diff(from, to)).filter(({ path }) => isEventFile(path));
  if (changes.length > LONG_DIFFERENCE) return false;
  const events = changes.map(({ path, blob, mode }) => ({ path, blob: isFile(mode) ? blob : null }));
  for await (const batch of readBatches(store, events)) {
    for (const { path, bytes } of batch) {
      const place = parseEventPath(path);
      const newest = place === null ? undefined : past.newestEventOf(place.log)?.envelope.record.waymark?.seq;
      // An event of then was changed, removed or brought back.
      if (bytes === null || place === null || place.seq <= (newest ?? -1)) return false;
      const read = readEventFile(path, bytes);
      if (!read.ok) continue;
      const { timestamp, envelope } = read.event;
      if (isKnownAt(timestamp, knownAt) || REDACTING.includes(envelope._local?.verb)) return false;
    }
  }
  return true;
}

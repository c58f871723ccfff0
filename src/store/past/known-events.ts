/** Which events were recorded at an earlier time: those dated then or before, as far as none of them follows a later one. */
import type { Hash } from '../../ledger/types.ts';
import { isKnownAt } from '../../record/temporal.ts';
import type { EventCheck, ReadEvent } from '../event-file.ts';

/**
 * Asked of all events in their order, once each. An event that follows a later one, in its log or by what it saw, is later
 * too whatever its own date says: dates are the signers', places in the log are not.
 *
 * @param knownAt Unix milliseconds.
 */
export function knownEvents(knownAt: number): (event: ReadEvent, check: EventCheck) => boolean {
  const later = new Set<Hash>();
  return (event, { fault, isSigned }) => {
    const follows = [event.prev, event.seen].some((link) => link !== null && later.has(link));
    if (!follows && isKnownAt(event.timestamp, knownAt)) return true;
    // What nobody signed has no date: a stray file dated into the future must not hide the events of those who saw it.
    if (follows || (isSigned && fault !== 'timestamp_in_future')) later.add(event.hash);
    return false;
  };
}

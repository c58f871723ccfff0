/** What a record of a trace counts for, in a picture and in a list. */
import type { VisitedRecord } from '../../../trail/trace/types.ts';
import { isVerified, statusOf } from '../../../trail/trace/words.ts';
import { statusLabel } from '../parts/status-badge.ts';

export function standingOf(record: VisitedRecord): 'verified' | 'doubtful' {
  return isVerified(record) ? 'verified' : 'doubtful';
}

const RETIRED = ['superseded', 'tombstoned', 'rejected'] as const;

/** Of the thought it is about: what ended it, in a word; `null` for one that stands, and where there is none. */
export function retiredWord(record: VisitedRecord): string | null {
  const status = statusOf(record);
  const retired = RETIRED.find((known) => known === status);
  return retired === undefined ? null : statusLabel(retired).toLowerCase();
}

/** What a record of a trace counts for, in a picture and in a list. */
import type { VisitedRecord } from '../../../trail/trace/types.ts';
import { type ShownStatus, statusLabel } from '../parts/status-badge.ts';

/** Whether its signature holds and what stands beside it is what was signed. */
export function standingOf({ verification, content_matches }: VisitedRecord): 'verified' | 'doubtful' {
  return verification?.status === 'valid' && content_matches !== false ? 'verified' : 'doubtful';
}

const RETIRED: readonly string[] = ['superseded', 'tombstoned', 'rejected'] satisfies readonly ShownStatus[];

/** Of the thought it is about: what ended it, in a word; `null` for one that stands, and where there is none. */
export function retiredWord({ thought }: VisitedRecord): string | null {
  if (thought === undefined) return null;
  if (thought.superseded) return statusLabel('superseded').toLowerCase();
  return RETIRED.includes(thought.status) ? thought.status.replace('tombstoned', 'withdrawn') : null;
}

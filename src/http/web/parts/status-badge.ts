/** A thought's status as one word, never by colour alone, and what it means. */
import { html } from 'hono/html';
import type { Status } from '../../../record/thought.ts';
import type { Html } from '../layout.ts';

export type ShownStatus = Status | 'superseded' | 'erased' | 'unverified' | 'absent';

export interface StatusFacts {
  readonly validation_status: Status;
  readonly superseded_by?: string | undefined;
  readonly unverified?: string | undefined;
  readonly erased?: true | undefined;
}

/** What most decides how the thought is to be read. */
export function shownStatus({ validation_status, superseded_by, unverified, erased }: StatusFacts): ShownStatus {
  if (unverified !== undefined) return 'unverified';
  if (erased === true) return 'erased';
  if (validation_status === 'approved' && superseded_by !== undefined) return 'superseded';
  return validation_status;
}

const WORDS: Readonly<Record<ShownStatus, readonly [label: string, meaning: string]>> = {
  draft: ['Draft', 'Its author is still writing; it is not part of the record'],
  proposed: ['Proposed', 'It waits for a decision; it is not part of the record yet'],
  approved: ['Approved', 'It was decided on and is part of the record'],
  rejected: ['Rejected', 'It was decided against; it is kept for its author and is not part of the record'],
  error: ['Not judged', 'A review failed; its author can edit it and propose it again'],
  tombstoned: ['Withdrawn', 'It was part of the record and was withdrawn'],
  superseded: ['Superseded', 'It was part of the record until a newer version was approved'],
  erased: ['Erased', 'An operator removed its text; the events about it stay'],
  unverified: ['Unverified', 'The ledger does not back its file as it is, so it does not count'],
  absent: ['Absent', 'No file of it is left'],
};

export function statusLabel(status: ShownStatus): string {
  return WORDS[status][0];
}

/** One sentence without a full stop. */
export function statusMeaning(status: ShownStatus): string {
  return WORDS[status][1];
}

export function statusBadge(status: ShownStatus): Html {
  return html`<span class="badge" data-status="${status}">${statusLabel(status)}</span>`;
}

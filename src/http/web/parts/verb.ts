/** What happened, as a person says it. */
import type { Verb } from '../../../ledger/types.ts';

const PAST: Readonly<Partial<Record<Verb, string>>> = {
  adopt: 'Brought into the record',
  save: 'Written',
  update: 'Rewritten',
  propose: 'Proposed',
  approve: 'Approved',
  reject: 'Rejected',
  request_changes: 'Sent back for changes',
  error: 'Not judged',
  forget: 'Withdrawn',
  supersede: 'Written to replace another',
  change_scope: 'Moved to another scope',
  rollback: 'Rolled back',
  advise: 'Judged by a model',
  vote: 'Vote to approve',
  keep_out: 'Value kept out',
  lift: 'Value let in again',
  erase: 'Text erased',
  quarantine: 'Put in quarantine',
  merge: 'Retired in favour of another',
  keep_both: 'Kept beside another',
  deny: 'Refused',
};

/** The verb itself where people have no word for it. */
export function verbInPast(verb: Verb | 'superseded'): string {
  if (verb === 'superseded') return 'Superseded';
  return PAST[verb] ?? verb.replaceAll('_', ' ');
}

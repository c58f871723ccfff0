/** What a verification can say was done to a record: one word for each kind of manipulation. */

export const VERDICTS = [
  /** An event file, sidecar or checkpoint is not as it was signed. */
  'edited',
  /** An event is gone, and a later one of its log is there. */
  'removed',
  /** Something stands in the ledger that belongs elsewhere, or past what its checkpoint signs. */
  'inserted',
  /** Events of one log stand in each other's place. */
  'reordered',
  /** The end of a log, or all of it, is gone. */
  'cut_tail',
  /** A key signed two different histories of its log. */
  'forked',
  /** A record is signed by another key than its log's. */
  're_signed',
  /** Nobody enrolled the key. */
  'unknown_key',
  /** The key may not do what its event says. */
  'wrong_role',
  /** The key was ended before. */
  'after_revocation',
  /** The repository is another owner's than it was. */
  're_rooted',
  /** A file is not what the ledger says, or the ledger says nothing of it. */
  'unrecorded_change',
  /** What would be needed to judge is not there. */
  'cannot_tell',
] as const;
export type Verdict = (typeof VERDICTS)[number];

/**
 * What the tables of this folder hold: for each thing the code can name, where it is made and where it is used.
 *
 * A reference is a file, or `file: title of a test in it`. The file must exist and mention the item (`min_confidence`,
 * `--min-confidence` or `minConfidence`), or the list it is of (`STATUSES`); the title must be there.
 */

export type Entry = readonly [producer: string, consumer: string] | Later;
export type Table = Readonly<Record<string, Entry>>;

/** Issues whose work brings what has no producer or consumer yet. */
export const ISSUES = {
  4: 'Trace and evidence',
  5: 'Judgement: the gate, the human, and corrections that hold',
  6: 'One endpoint, many identities',
  7: 'Hooks, and the three protocols',
} as const;

export interface Later {
  readonly later: keyof typeof ISSUES;
}

export function later(issue: Later['later']): Later {
  return { later: issue };
}

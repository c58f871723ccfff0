/** What a person should know of the state of a mirror. Names files by base name: a path has a home folder in it. */
import { quote } from '../../record/quote.ts';
import type { MirrorState } from './catch-up.ts';

/** Files that are named one by one. */
const NAMED = 10;

/** A sentence each; none for a mirror that is whole. */
export function warningsOf({ empty, unreadable, skipped, unfinished, behind }: MirrorState): readonly string[] {
  const warnings: string[] = [];
  if (empty) warnings.push('The mirror is empty: its folder holds no file "*.jsonl", or is not there');
  for (const { name, reason } of unreadable.slice(0, NAMED)) {
    warnings.push(`Cannot read ${quote(name)} of the mirror: ${reason}`);
  }
  if (unreadable.length > NAMED) warnings.push(`Nor can ${unreadable.length - NAMED} more files of the mirror be read`);
  const [first] = skipped.first;
  if (first !== undefined) {
    const lines = skipped.total === 1 ? '1 line of the mirror' : `${skipped.total} lines of the mirror`;
    warnings.push(`Skipped ${lines}, first ${quote(first.file)} line ${first.line}: ${first.message}`);
  }
  if (unfinished.length > 0) {
    const names = unfinished.slice(0, NAMED).map(quote).join(', ');
    warnings.push(`The last line of ${names} has no end yet and counts once it is a whole record`);
  }
  if (behind) warnings.push('Another process is reading the mirror: newer records may be missing, so ask again later');
  return warnings;
}

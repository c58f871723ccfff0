/** The way between two records, a line a record: what each line is to the one above it stands before it. */
import { groupBy } from '../../record/group-by.ts';
import { closingLines } from './closing.ts';
import { columnsOf, contentLines, recordLine } from './record-line.ts';
import type { TraceView } from './view.ts';
import { linkWords } from './words.ts';

/** @param view Of records that follow on each other. */
export function pathLines(view: TraceView): readonly string[] {
  const records = [...view.records.values()];
  const columns = columnsOf(records);
  const edges = groupBy(view.edges, ({ from }) => from);
  const lines = records.flatMap((record, at) => {
    const before = records[at - 1];
    const lead = before === undefined ? '' : `${wordsBetween(before.record_hash, record.record_hash)}: `;
    return [recordLine(record, { view, columns, lead }), ...contentLines(record).map((text) => `   ${text}`)];
  });

  function wordsBetween(from: string, to: string): string {
    const all = [...(edges.get(from) ?? []), ...(edges.get(to) ?? [])];
    return linkWords({ from, to, direction: 'both' }, all);
  }

  return [...lines, ...(lines.length === 0 ? [] : ['']), ...closingLines(view)];
}

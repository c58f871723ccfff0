/** The way between two records, a line a record: what each line is to the one above it stands before it. */
import { LINK_KINDS } from '../../ledger/links.ts';
import { groupBy } from '../../record/group-by.ts';
import type { TracePathResult } from '../../trail/trace/trace-path.ts';
import type { TraceView } from '../../trail/trace/view.ts';
import { absenceOf, linkWords, shortHash } from '../../trail/trace/words.ts';
import { terminalLine } from '../terminal-text.ts';
import { closingLines } from './closing.ts';
import { columnsOf, contentLines, recordLine } from './record-line.ts';

/** @param view Of the result. */
export function pathLines(view: TraceView, result: TracePathResult): readonly string[] {
  const records = [...view.records.values()];
  const columns = columnsOf(records);
  const edges = groupBy(view.edges, ({ from }) => from);
  const lines = records.flatMap((record, at) => {
    const before = records[at - 1];
    const lead = before === undefined ? '' : `${wordsBetween(before.record_hash, record.record_hash)}: `;
    return [recordLine(record, { columns, lead }), ...contentLines(record).map((text) => `   ${text}`)];
  });

  function wordsBetween(from: string, to: string): string {
    const all = [...(edges.get(from) ?? []), ...(edges.get(to) ?? [])];
    return linkWords({ from, to, direction: 'both' }, all);
  }

  if (result.path !== 'found') return noWayLines(view, result);
  return [...lines, '', ...closingLines(view)];
}

function noWayLines(view: TraceView, result: TracePathResult): readonly string[] {
  const { start_hash, path, path_to, searched, warnings } = result;
  const by = view.follow.join(', ');
  const ends = `from ${shortHash(start_hash)} to ${shortHash(path_to)} by ${by}`;
  const others = LINK_KINDS.filter((kind) => !view.follow.includes(kind));
  return [
    ...warnings.map(terminalLine),
    ...[...view.absent.values()].map((lost) => `${absenceOf(lost)}: ${terminalLine(lost.record_hash)}`),
    ...(path === 'none'
      ? [`No way ${ends} is visible to you`]
      : [`No way ${ends} was found among ${searched} records: name one between the two`]),
    ...(others.length === 0 ? [] : [`Other links with ${others.map((kind) => `--follow ${kind}`).join(' ')}`]),
  ];
}

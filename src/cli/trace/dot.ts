/** A trace in Graphviz' language: an arrow leads from a record to what it names. */
import type { Hash } from '../../ledger/types.ts';
import type { VisitedRecord } from '../../trail/trace/types.ts';
import type { TraceView } from '../../trail/trace/view.ts';
import { absenceOf, markOf, shortHash, statusOf, whatOf, whenOf, whoOf, wordOf } from '../../trail/trace/words.ts';
import { terminalLine } from '../terminal-text.ts';

export function dotLines(view: TraceView): readonly string[] {
  const { records, absent, edges } = view;
  return [
    'digraph trace {',
    '  node [shape=box];',
    ...[...records.values()].map((record) => {
      const label = [whatOf(record), factsOf(record), markOf(record), shortHash(record.record_hash)];
      return `  ${id(record.record_hash)} [label=${quoted(...label)}${styleOf(record)}];`;
    }),
    ...[...absent.values()].map((lost) => {
      const { record_hash: hash } = lost;
      return `  ${id(hash)} [label=${quoted(absenceOf(lost), shortHash(hash))}, style=dashed];`;
    }),
    ...edges.map(({ from, to, kind }) => `  ${id(from)} -> ${id(to)} [label=${quoted(wordOf(kind))}];`),
    '}',
  ];
}

function id(hash: Hash): string {
  return quoted(terminalLine(hash));
}

function factsOf(record: VisitedRecord): string {
  const status = statusOf(record);
  return [...(status === null ? [] : [status]), whoOf(record), whenOf(record)].join(', ');
}

function styleOf(record: VisitedRecord): string {
  if (!markOf(record).startsWith('✓') && record.verification !== undefined) return ', color=red';
  return record.thought?.superseded === true ? ', fontcolor=gray40' : '';
}

/** In a quoted string `"` and, for labels, `\` and `&` (an entity) mean something. */
function quoted(...lines: readonly string[]): string {
  const escaped = lines.map((line) => line.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('&', '&amp;'));
  return `"${escaped.join('\\n')}"`;
}

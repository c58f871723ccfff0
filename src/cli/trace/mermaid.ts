/** A trace as a Mermaid flowchart: an arrow leads from a record to what it names. */
import type { VisitedRecord } from '../../trail/trace/types.ts';
import type { TraceView } from '../../trail/trace/view.ts';
import { absenceOf, markOf, shortHash, statusOf, whatOf, whenOf, whoOf, wordOf } from '../../trail/trace/words.ts';

export function mermaidLines(view: TraceView): readonly string[] {
  const { records, absent, edges } = view;
  const ids = new Map([...records.keys(), ...absent.keys()].map((hash, at) => [hash, `n${at}`]));
  return [
    'flowchart TD',
    ...[...records.values()].map((record) => {
      const { what, facts } = labelOf(record);
      return `  ${ids.get(record.record_hash)}["“${escaped(what)}”<br/>${escaped(facts)}"]${classOf(record)}`;
    }),
    ...[...absent.values()].map((lost) => {
      const { record_hash: hash } = lost;
      return `  ${ids.get(hash)}["${escaped(`${absenceOf(lost)} ${shortHash(hash)}`)}"]:::absent`;
    }),
    ...edges.map(({ from, to, kind }) => `  ${ids.get(from)} -->|${wordOf(kind)}| ${ids.get(to)}`),
    '  classDef unproved stroke:#c00,stroke-width:3px',
    '  classDef superseded fill:#ddd,color:#555',
    '  classDef absent stroke-dasharray:4',
  ];
}

function labelOf(record: VisitedRecord): { readonly what: string; readonly facts: string } {
  const status = statusOf(record);
  const facts = [...(status === null ? [] : [status]), whoOf(record), whenOf(record), markOf(record)];
  return { what: whatOf(record), facts: facts.join(', ') };
}

function classOf(record: VisitedRecord): string {
  if (!markOf(record).startsWith('✓') && record.verification !== undefined) return ':::unproved';
  return record.thought?.superseded === true ? ':::superseded' : '';
}

/**
 * Inside `["..."]` an entity is Mermaid's only escape, and what is between the quotes ends up as HTML or Markdown. So
 * whatever is not a letter, a digit or harmless stands as `#<code point>;`. A text of a writer's choice stands in marks
 * of quotation, since Mermaid refuses a label that begins like a list.
 */
function escaped(text: string): string {
  return text.replace(/[^\p{L}\p{N} ,.:…✓✗-]/gu, (character) => `#${character.codePointAt(0)};`);
}

/** A thought as lines for people. Callers make control characters visible when they print. */
import { approverOf } from '../record/approver.ts';
import type { IndexLag } from '../store/repository.ts';
import { reasonsOf } from '../trail/due.ts';
import type { ThoughtSummary } from '../trail/types.ts';
import { terminalLine } from './terminal-text.ts';

/** One line of facts, then the text, indented. */
export function summaryLines(thought: ThoughtSummary): readonly string[] {
  const { thought_id, validation_status, source_type, source_trail = '', agent_id, created_at, confidence } = thought;
  const unverified = thought.unverified === undefined ? [] : [`UNVERIFIED (${thought.unverified})`];
  const facts = [thought_id, validation_status, ...unverified, source_type, `confidence ${confidence}`, agent_id];
  const approver = approverOf(thought.metadata?.extra);
  const approved = approver === null ? [] : [`  approved by ${approver}`];
  const dates = [
    ...(thought.valid_from === undefined ? [] : [`true from ${thought.valid_from}`]),
    ...reasonsOf(thought),
    ...(thought.present_status === undefined ? [] : [`now ${thought.present_status}`]),
  ];
  const superseded = thought.superseded_by === undefined ? [] : [`  superseded by ${thought.superseded_by}`];
  return [
    terminalLine([...facts, created_at, source_trail].join('  ')),
    ...[...approved, ...superseded].map(terminalLine),
    ...(dates.length === 0 ? [] : [terminalLine(`  ${dates.join('; ')}`)]),
    ...indented(thought.content ?? thought.content_preview),
    ...(thought.content_truncated === true ? ['  ... cut here: "waymark get" shows all'] : []),
  ];
}

/** Every line two spaces in, so that text of a thought cannot pose as a line of ours. */
export function indented(text: string): readonly string[] {
  return text
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => `  ${line}`);
}

/** What to say when the answer is of an older commit than the branch names. */
export function lagLine(index: IndexLag | undefined): readonly string[] {
  if (index === undefined) return [];
  return [`The index is ${index.behind} or more commits behind: this is the record at ${index.indexed ?? 'no commit'}`];
}

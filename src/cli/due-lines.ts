/** What asks for another look, for a person: it stays approved, and is decided by a replacement or a withdrawal. */
import { type DueForReview, reasonsOf } from '../trail/due.ts';
import { columns } from './columns.ts';

/** None where nothing is due. */
export function dueLines({ count, thoughts }: DueForReview): readonly string[] {
  if (count === 0) return [];
  const rows = thoughts.map((thought) => [
    thought.thought_id,
    thought.source_trail ?? '',
    reasonsOf(thought).join('; '),
  ]);
  return ['', `Due for review, ${count}`, ...columns(rows).map((line) => `  ${line}`)];
}

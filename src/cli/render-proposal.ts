/** A proposal as the person who decides reads it: everything the decision is about, nothing hidden. */
import type { Proposal, QueueEntry } from '../trail/queue.ts';
import { columns } from './columns.ts';
import { lineDiff, renderDiff } from './line-diff.ts';
import { indented } from './render-thought.ts';

/** Shown in the heading, or the same for every thought. */
const HEADING_FIELDS = ['schema_version', 'thought_id', 'agent_id', 'supersedes_id', 'supersedes_scope'];

export interface ProposalContext {
  /** Unix milliseconds. */
  readonly now: number;
  /** The person's agent id. */
  readonly person: string;
}

export function proposalLines(proposal: Proposal, context: ProposalContext): readonly string[] {
  const { entry, fields, body, claim, predecessor } = proposal;
  const own = entry.agent_id === context.person ? ' (you: an approval is marked as your own)' : '';
  const others = Object.entries(fields).filter(([name, value]) => !HEADING_FIELDS.includes(name) && !isEmpty(value));
  return [
    ...columns([
      ['thought', entry.thought_id],
      ['scope', entry.source_trail],
      ['author', `${entry.agent_id}${own}`],
      ['proposed', `${entry.proposed_at}, ${age(entry, context.now)} ago`],
      ...others.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
      ['claim', claim],
    ]),
    '',
    'Text',
    ...indented(body),
    ...predecessorLines(entry, { body, predecessor }),
  ];
}

/** One line a proposal, for a list. */
export function queueLines(entries: readonly QueueEntry[], now: number): readonly string[] {
  if (entries.length === 0) return ['Nothing waits for a decision'];
  return entries.flatMap((entry) => [
    ...columns([[entry.thought_id, entry.source_trail, entry.agent_id, entry.proposed_at, `${age(entry, now)} ago`]]),
    ...indented(entry.content_preview),
    '',
  ]);
}

function predecessorLines(entry: QueueEntry, to: Pick<Proposal, 'body' | 'predecessor'>): readonly string[] {
  const { supersedes_id } = entry;
  if (supersedes_id === undefined) return [];
  if (to.predecessor === null) return ['', `It would replace ${supersedes_id}, which is not in this record`];
  const { thought_id, scope, body } = to.predecessor;
  const diff = renderDiff(lineDiff(body, to.body));
  return ['', `Difference to ${thought_id} in ${scope}, which it would replace`, ...diff.map((line) => `  ${line}`)];
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === 'object' && value !== null && Object.values(value).every(isEmpty);
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
] as const;

function age(entry: QueueEntry, now: number): string {
  const passed = now - Date.parse(entry.proposed_at);
  const [unit, size] = UNITS.find(([, ms]) => passed >= ms) ?? ['s', 1_000];
  return `${Math.max(0, Math.floor(passed / size))} ${unit}`;
}

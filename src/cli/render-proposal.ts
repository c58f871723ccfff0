/** A proposal as the person who decides reads it: everything the decision is about, nothing hidden. */

import { approverOf } from '../record/approver.ts';
import { lineDiff, renderDiff } from '../record/line-diff.ts';
import { describeCare } from '../trail/care.ts';
import type { AlikeThought, Cause, Proposal } from '../trail/proposal.ts';
import type { QueueEntry } from '../trail/queue.ts';
import { describeVote } from '../trail/quorum/ballot.ts';
import type { TombstoneNotice } from '../trail/types.ts';
import { age } from './age.ts';
import { columns } from './columns.ts';
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
  const { entry, fields, body, claim, predecessor, tombstones, neighbours, causes, standing } = proposal;
  const own = entry.agent_id === context.person ? ' (you: an approval is marked as your own)' : '';
  const others = Object.entries(fields).filter(([name, value]) => !HEADING_FIELDS.includes(name) && !isEmpty(value));
  return [
    ...columns([
      ['thought', entry.thought_id],
      ['scope', entry.source_trail],
      ...stateRow(entry),
      ['author', `${entry.agent_id}${own}`],
      ['proposed', `${entry.proposed_at}, ${age(entry.proposed_at, context.now)} ago`],
      ['approvals', standing.says],
      ...votesRow(proposal),
      ...entry.care.map((care) => ['care', describeCare(care)]),
      ...adviceRow(proposal),
      ...others.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
      ['claim', claim],
    ]),
    '',
    'Text',
    ...indented(body),
    ...predecessorLines(entry, { body, predecessor }),
    ...tombstoneLines(tombstones),
    ...neighbourLines(neighbours),
    ...causeLines(causes),
    '',
    'Your decision is signed and stays in the permanent record',
  ];
}

/** One line a proposal, for a list. */
export function queueLines(entries: readonly QueueEntry[], now: number): readonly string[] {
  if (entries.length === 0) return ['Nothing waits for a decision'];
  return entries.flatMap((entry) => [
    ...columns([
      [
        ...[entry.thought_id, entry.source_trail, entry.agent_id, entry.proposed_at],
        [`${age(entry.proposed_at, now)} ago`, ...marksOf(entry)].join(', '),
      ],
    ]),
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

/** Of what waits for another reason than that it was proposed. */
function stateRow({ unverified, validation_status, metadata }: QueueEntry): readonly (readonly string[])[] {
  if (unverified === undefined) return [];
  const approver = validation_status === 'approved' ? approverOf(metadata?.extra) : null;
  return [['state', `${unverified}, ${validation_status}${approver === null ? '' : ` by ${approver}`}`]];
}

/** What is worth a look before anything is decided by rule. */
function marksOf({ votes, advice, care, unverified }: QueueEntry): readonly string[] {
  return [
    ...(unverified === undefined ? [] : [unverified]),
    ...(votes === undefined ? [] : [`${votes.given} of ${votes.needed} votes`]),
    ...(advice === undefined ? [] : [advice === 'error' ? 'a model gave no verdict' : `a model says ${advice}`]),
    ...care.map(describeCare),
  ];
}

function votesRow({ ballot }: Proposal): readonly (readonly string[])[] {
  if (ballot === null) return [];
  return ballot.votes.length === 0 ? [] : [['approved by', ballot.votes.map(describeVote).join(', ')]];
}

/** Words of a model, which decides nothing. */
function adviceRow({ advice }: Proposal): readonly (readonly string[])[] {
  if (advice === null) return [];
  const { verdict, model, reasoning } = advice;
  const said = verdict === 'error' ? 'gave no verdict' : `advises ${verdict}`;
  return [['model', `${model} ${said}: ${reasoning}`]];
}

function tombstoneLines(tombstones: readonly TombstoneNotice[]): readonly string[] {
  const rows = tombstones.map(({ tombstone, scope, since, reason }) => [tombstone, scope, since, reason]);
  return section('Close to a value that was rejected', rows);
}

function neighbourLines(neighbours: readonly AlikeThought[]): readonly string[] {
  const rows = neighbours.map(({ thought_id, similarity, preview }) => [thought_id, similarity.toFixed(2), preview]);
  return section('Approved here and alike (1 is the same words)', rows);
}

function causeLines(causes: readonly Cause[]): readonly string[] {
  const rows = causes.map(({ record, thought_id = record, verb, agent_id, preview = '' }) => [
    thought_id,
    verb === undefined ? 'not in this record' : `${verb} by ${agent_id}`,
    preview,
  ]);
  return section('Informed by', rows);
}

function section(title: string, rows: readonly (readonly string[])[]): readonly string[] {
  return rows.length === 0 ? [] : ['', title, ...indented(columns(rows).join('\n'))];
}

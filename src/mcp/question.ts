/**
 * What a person is shown who decides through a client: the whole text, what it would replace, and that it is permanent.
 *
 * Stored text stands behind a gutter and with everything visible, so that it can neither pose as our words nor hide
 * (cases.md B42, B46).
 */
import { lineDiff, renderDiff } from '../record/line-diff.ts';
import { type Outcome, ok, refuse } from '../record/outcome.ts';
import { reveal } from '../record/reveal.ts';
import { describeCare } from '../trail/care.ts';
import type { Proposal } from '../trail/proposal.ts';
import type { Asked } from './person.ts';

/** Characters of a message; beyond it nobody would see all of what they decide about. */
const MOST = 32_000;
/** The text itself is shown whole. */
const DIFFERENCE_LINES = 200;
const DIGEST_SHOWN = 12;
/** Shown in the heading, or the same for every thought. */
const HEADING_FIELDS = ['schema_version', 'thought_id', 'agent_id', 'source_type', 'confidence', 'created_at'];

/** An operation's value that is no answer yet. */
export class Question {
  readonly asked: Asked;
  readonly message: string;

  constructor(asked: Asked, message: string) {
    this.asked = asked;
    this.message = message;
  }
}

/** @param call As the caller named the thought. Code `invalid` when it is too long to be shown whole. */
export function questionAbout(proposal: Proposal, call: Omit<Asked, 'claim'>): Outcome<Question> {
  const message = messageOf(proposal);
  if (message.length <= MOST) return ok(new Question({ ...call, claim: proposal.claim }, message));
  return refuse('invalid', `The thought is too long to be shown whole in a dialog: ${message.length} characters`, {
    field: 'approval',
    next: 'A person decides with "waymark review"; propose it without "approval" meanwhile',
  });
}

function messageOf(proposal: Proposal): string {
  return `Permanent memory, shared with everybody who reads this record.
Your decision is signed and stays. Nothing in the text below is addressed to you.

${describeProposal(proposal)}`;
}

/** All that a decision is about, stored text behind a gutter and nothing unseen in it. */
export function describeProposal(proposal: Proposal): string {
  const { entry, fields, body, claim, tombstones, neighbours } = proposal;
  const others = Object.entries(fields).filter(([name, value]) => !HEADING_FIELDS.includes(name) && !isEmpty(value));
  const lines = [
    `Thought ${entry.thought_id} in ${entry.source_trail}, by ${entry.agent_id}`,
    `${entry.validation_status}, ${entry.source_type}, confidence ${entry.confidence}, written ${entry.created_at}`,
    `Claim ${claim.slice(0, DIGEST_SHOWN)}`,
    ...standingLines(proposal),
    '',
    `Text, ${body.length} characters:`,
    ...gutter(body),
    ...(others.length === 0
      ? []
      : ['', 'With it:', ...others.flatMap(([name, value]) => gutter(fieldLine(name, value)))]),
    ...differenceLines(proposal),
    ...adviceLines(proposal),
    ...tombstones.flatMap(({ tombstone, reason }) => [
      '',
      `Close to the rejected value ${tombstone}:`,
      ...gutter(reason),
    ]),
    ...neighbours.flatMap(({ thought_id, preview }) => [
      '',
      `Nearly the same is approved, ${thought_id}:`,
      ...gutter(preview),
    ]),
  ];
  return reveal(lines.join('\n'));
}

/** Who approved so far, whether the viewer's word counts, and why it asks for care. */
function standingLines({ ballot, entry, standing }: Proposal): readonly string[] {
  const people = ballot?.votes.map(({ agent_id }) => agent_id) ?? [];
  const isPlain = standing.needed === 1 && standing.hindrance === null;
  return [
    ...(isPlain ? [] : [`Approved by ${standing.says}`]),
    ...(people.length === 0 ? [] : [`By ${people.join(', ')}`]),
    ...entry.care.map((care) => `Look twice: ${describeCare(care)}`),
  ];
}

/** What a model said of this very text, which decides nothing. */
function adviceLines({ advice }: Proposal): readonly string[] {
  if (advice === null) return [];
  const said = advice.verdict === 'error' ? 'gave no verdict' : `advises to ${advice.verdict}`;
  return ['', `A model ${said} (${advice.model}):`, ...gutter(advice.reasoning)];
}

function differenceLines({ entry, body, predecessor }: Proposal): readonly string[] {
  const { supersedes_id } = entry;
  if (predecessor === null) {
    return supersedes_id === undefined ? [] : ['', `It would replace ${supersedes_id}, which is not in this record.`];
  }
  const diff = renderDiff(lineDiff(predecessor.body, body));
  const left = diff.length - DIFFERENCE_LINES;
  return [
    '',
    `Difference to ${predecessor.thought_id} in ${predecessor.scope}, which it would replace:`,
    ...gutter(diff.slice(0, DIFFERENCE_LINES).join('\n')),
    ...(left > 0 ? [`${left} more lines of it are left out here.`] : []),
  ];
}

/** Four spaces are code to a client that renders Markdown. */
function gutter(text: string): readonly string[] {
  return text.split(/\r\n|[\n\r\u2028\u2029]/).map((line) => `    | ${line}`);
}

function fieldLine(name: string, value: unknown): string {
  return `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`;
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === 'object' && value !== null && Object.values(value).every(isEmpty);
}

/** The event and the files of a person's verdict. */
import type { EventFile, Hash } from '../ledger/types.ts';
import { claimDigest } from '../record/claim.ts';
import { type Outcome, ok, type Refusal, refuse } from '../record/outcome.ts';
import { promotionTarget } from '../record/routing.ts';
import type { Status, Thought } from '../record/thought.ts';
import type { Draft } from '../store/draft.ts';
import type { StoredThought } from '../store/index/types.ts';
import { claimEventOf, isAuthorOf } from './causes.ts';
import type { TrailContext } from './context.ts';
import type { Vote } from './quorum/ballot.ts';
import { replaceFile } from './replace-file.ts';
import { retirePredecessor } from './retire-predecessor.ts';
import { summarize } from './summary.ts';
import { type KeepOutOptions, keepOutEvents } from './tombstones/keep-out.ts';
import type { DecideInput, ProposeResult } from './types.ts';
import { protectionOf, verdictExtra } from './verdict-extra.ts';
import type { Change } from './write.ts';

export interface StagedVerdict {
  readonly context: TrailContext;
  readonly input: DecideInput;
  /** After the verdict. */
  readonly status: Status;
  /** Of other people, which an approval by quorum rests on. */
  readonly votes: readonly Vote[];
}

export async function stageVerdict(
  draft: Draft,
  row: StoredThought,
  verdict: StagedVerdict,
): Promise<Outcome<Change<ProposeResult>>> {
  const { context, input, status, votes } = verdict;
  const self = isAuthorOf(draft.index, row.thought, context.principal.agent_id);
  const facts = { input, self, votes, now: draft.now, protection: await protectionOf(context) };
  const signer = await context.signer();
  const name = signer.ok ? draft.index.key(signer.value.publicKey)?.name : undefined;
  const extra = verdictExtra(row.thought, { ...facts, name, agentId: context.principal.agent_id });
  const thought: Thought = { ...row.thought, validation_status: status, metadata: { ...row.thought.metadata, extra } };
  const isApproval = input.verdict === 'approve';
  const namespace = isApproval ? promotionTarget(thought.source_type, row.namespace) : row.namespace;
  const files = await replaceFile(draft, { row, thought }, { namespace });
  if (!files.ok) return files;
  const retired = isApproval ? await retirePredecessor(draft, row) : ok(null);
  if (!retired.ok) return retired;
  const cause = claimEventOf(draft.index, thought.thought_id);
  if (cause === null) return unsigned(thought);
  const last = row.event === undefined || row.event === cause ? [] : [row.event];
  const target: { revises: Hash } | { annotates: Hash } =
    retired.value === null ? { annotates: cause } : { revises: retired.value.event };
  const partner: readonly EventFile[] = retired.value === null ? [] : retired.value.files;
  const keptOut = input.verdict === 'reject' ? await keepOutEvents(draft, keepOutOf(row, verdict)) : ok([]);
  if (!keptOut.ok) return keptOut;
  const { reason, grounds } = input;
  return ok({
    events: [
      {
        verb: input.verdict,
        ...target,
        informed_by: [cause, ...last, ...votes.map((vote) => vote.event)],
        local: {
          scope: row.scope,
          thought_id: thought.thought_id,
          status,
          kind: 'human' as const,
          ...(reason === undefined ? {} : { reason }),
          ...(grounds === undefined ? {} : { grounds }),
          ...(self ? { self: true as const } : {}),
          protection: facts.protection,
        },
        files: [...files.value, ...partner],
        claim: claimDigest(row.thought),
      },
      ...keptOut.value,
    ],
    message: `${TITLES[input.verdict]} thought ${thought.thought_id} in ${row.scope} ${namespace}/`,
    answer: {
      status: input.verdict === 'reject' ? ('rejected' as const) : ('ok' as const),
      thought: summarize(thought, row.scope),
      message: messageOf(input, { people: votes.length + 1, isKeptOut: keptOut.value.length > 0 }),
    },
  });
}

const TITLES = { approve: 'Approve', reject: 'Reject', request_changes: 'Ask for changes to' } as const;
const MESSAGES = {
  approve: 'Approved by a person; it is part of the record now.',
  reject: 'Rejected by a person; its author can read the reason.',
  request_changes: 'Back to draft; its author can read what is asked for.',
} as const;

interface Effects {
  /** Who approved. */
  readonly people: number;
  readonly isKeptOut: boolean;
}

function messageOf({ verdict }: DecideInput, { people, isKeptOut }: Effects): string {
  if (people > 1) return `Approved by ${people} people; it is part of the record now.`;
  return isKeptOut ? `${MESSAGES[verdict]} The value is kept out from now on.` : MESSAGES[verdict];
}

function keepOutOf(row: StoredThought, { context, input }: StagedVerdict): KeepOutOptions {
  const { reason = '', grounds, keep_out } = input;
  return { row, reason, grounds, keep_out, context };
}

/** Code `conflict`: nobody could say what was decided about. */
export function unsigned({ thought_id }: Thought): Refusal {
  return refuse('conflict', `No signed event says who saved thought "${thought_id}"`, {
    next: 'Run "waymark verify"',
  });
}

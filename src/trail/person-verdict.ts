/** A person's verdict: what its event and the file say of it, and the value it keeps out. */
import type { SidecarFacts } from '../ledger/types.ts';
import { type Outcome, ok } from '../record/outcome.ts';
import type { Status } from '../record/thought.ts';
import type { Draft } from '../store/draft.ts';
import type { StoredThought } from '../store/index/types.ts';
import { isAuthorOf } from './causes.ts';
import type { TrailContext } from './context.ts';
import type { Vote } from './quorum/ballot.ts';
import { decidingSignatory } from './signatory.ts';
import { stageVerdict } from './stage-verdict.ts';
import { summarize } from './summary.ts';
import { keepOutEvents } from './tombstones/keep-out.ts';
import type { DecideInput, ProposeResult } from './types.ts';
import { protectionOf, verdictExtra } from './verdict-extra.ts';
import type { Change } from './write.ts';

export interface PersonVerdict {
  readonly context: TrailContext;
  readonly input: DecideInput;
  /** After the verdict. */
  readonly status: Status;
  /** Of other people, which an approval by quorum rests on. */
  readonly votes: readonly Vote[];
}

export async function stagePersonVerdict(
  draft: Draft,
  row: StoredThought,
  { context, input, status, votes }: PersonVerdict,
): Promise<Outcome<Change<ProposeResult>>> {
  const { verdict, reason, grounds, keep_out } = input;
  const local = await localOf(draft, row, { context, input });
  const { self = false, protection } = local;
  const { agent_id: agentId } = context.principal;
  const by = decidingSignatory(context);
  const attestedBy = by.attested === undefined ? undefined : by.agent_id;
  const signer = attestedBy === undefined ? await by.signer() : null;
  const name = signer?.ok === true ? draft.index.key(signer.value.publicKey)?.name : undefined;
  const facts = { input, agentId, attestedBy, name, self, votes, protection, now: draft.now };
  const extra = verdictExtra(row.thought, facts);
  const informed_by = votes.map((vote) => vote.event);
  const staged = await stageVerdict(draft, row, {
    verb: verdict,
    status,
    extra,
    informed_by,
    local: { ...local, ...(grounds === undefined ? {} : { grounds }) },
  });
  if (!staged.ok) return staged;
  const keptOut =
    verdict === 'reject'
      ? await keepOutEvents(draft, { row, reason: reason ?? '', grounds, keep_out, context })
      : ok([]);
  if (!keptOut.ok) return keptOut;
  const { event, thought, message } = staged.value;
  return ok({
    events: [event, ...keptOut.value],
    message,
    answer: {
      status: verdict === 'reject' ? ('rejected' as const) : ('ok' as const),
      thought: summarize(thought, row.scope, { principal: context.principal }),
      message: messageOf(input, { people: votes.length + 1, isKeptOut: keptOut.value.length > 0 }),
    },
  });
}

type PersonFacts = { readonly kind: 'human' } & Pick<SidecarFacts, 'reason' | 'self'> &
  Required<Pick<SidecarFacts, 'protection'>>;

/** What the event of a person's decision or vote says besides what it is about. */
export async function localOf(
  draft: Draft,
  row: StoredThought,
  { context, input }: Pick<PersonVerdict, 'context' | 'input'>,
): Promise<PersonFacts> {
  const { reason } = input;
  const self = isAuthorOf(draft.index, row.thought, context.principal.agent_id);
  return {
    kind: 'human',
    ...(reason === undefined ? {} : { reason }),
    ...(self ? { self: true as const } : {}),
    protection: await protectionOf(context),
  };
}

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

/** Writes what the model said, by the reviewer's key, if the thought still stands as the model saw it. */
import type { EventFile, ModelReview, Signer } from '../../ledger/types.ts';
import { claimDigest } from '../../record/claim.ts';
import { type Outcome, ok, refuse } from '../../record/outcome.ts';
import { GATE_AGENT_ID } from '../../record/principal.ts';
import { promotionTarget } from '../../record/routing.ts';
import type { JsonObject, Namespace, Status, Thought } from '../../record/thought.ts';
import { isoFromMillis, toOffsetIso } from '../../record/time.ts';
import type { Draft } from '../../store/draft.ts';
import type { StoredThought } from '../../store/index/types.ts';
import { claimEventOf } from '../causes.ts';
import type { TrailContext } from '../context.ts';
import { replaceFile } from '../replace-file.ts';
import { retirePredecessor } from '../retire-predecessor.ts';
import { nearTombstones } from '../tombstones/consult.ts';
import type { TrustGateResult } from '../types.ts';
import { type Change, type ChangeEvent, write } from '../write.ts';
import { adviceOn } from './advice.ts';

export interface Settlement {
  readonly scope: string;
  readonly thought_id: string;
  /** Digest of the claim the model saw. */
  readonly claim: string;
  readonly said: TrustGateResult;
  readonly signer: Signer;
}

/** `late`: it was decided or changed meanwhile, and nothing was written. */
export type Settled = 'approve' | 'reject' | 'request_changes' | 'error' | 'advise' | 'late';

export interface SettleResult {
  readonly settled: Settled;
}

export async function settle(context: TrailContext, settlement: Settlement): Promise<Outcome<SettleResult>> {
  const { principal, inbound: _, onSigned: __, ...rest } = context;
  const reviewer: TrailContext = {
    ...rest,
    principal: { agent_id: GATE_AGENT_ID, role: 'reviewer', via: principal.via },
    signer: async () => ok(settlement.signer),
  };
  const call = { verb: 'review', input: {}, idempotencyKey: undefined };
  return write<SettleResult>(reviewer, call, async (draft) => {
    const { scope, thought_id, claim } = settlement;
    const row = draft.index.thoughtById(thought_id).find((other) => other.scope === scope);
    const isAsSeen =
      row?.held === true && row.thought.validation_status === 'proposed' && claimDigest(row.thought) === claim;
    if (!isAsSeen || row.superseded) return ok({ events: [], answer: { settled: 'late' } });
    const verb = verbFor(draft, row, settlement.said);
    return verb === 'advise'
      ? advise(draft, row, settlement.said)
      : decided(draft, row, { verb, said: settlement.said });
  });
}

type Verb = Exclude<Settled, 'late'>;

/** A model that only advises may still send a text back; near a rejected value it approves nothing. */
function verbFor(draft: Draft, { scope, thought }: StoredThought, { policy, verdict }: TrustGateResult): Verb {
  if (policy === 'llm-then-human') return verdict === 'reject' ? 'request_changes' : 'advise';
  const isNear = verdict === 'approve' && nearTombstones(draft.index, { scope, body: thought.body }).length > 0;
  return isNear ? 'advise' : verdict;
}

function advise(draft: Draft, row: StoredThought, said: TrustGateResult): Outcome<Change<SettleResult>> {
  const earlier = adviceOn(draft.index, row.thought);
  // One that was asked at the same time was first; only a failure is made good by another.
  if (earlier !== null && earlier.verdict !== 'error') return ok({ events: [], answer: { settled: 'late' } });
  const event = eventOf(draft, row, { verb: 'advise', said, files: [] });
  if (!event.ok) return event;
  return ok({ events: [event.value], message: messageOf('Advise about', row), answer: { settled: 'advise' } });
}

const TITLES = {
  approve: 'Approve',
  reject: 'Reject',
  request_changes: 'Ask for changes to',
  error: 'Note a failed review of',
} as const;
const STATUS_AFTER = { approve: 'approved', reject: 'rejected', request_changes: 'draft', error: 'error' } as const;

interface Decided {
  readonly verb: Exclude<Verb, 'advise'>;
  readonly said: TrustGateResult;
}

async function decided(
  draft: Draft,
  row: StoredThought,
  { verb, said }: Decided,
): Promise<Outcome<Change<SettleResult>>> {
  const isApproval = verb === 'approve';
  const status = STATUS_AFTER[verb];
  const extra = extraOf(row.thought, { verb, said, now: draft.now });
  const metadata = { ...row.thought.metadata, extra };
  const thought: Thought = { ...row.thought, validation_status: status, metadata };
  const namespace: Namespace = isApproval ? promotionTarget(thought.source_type, row.namespace) : row.namespace;
  const files = await replaceFile(draft, { row, thought }, { namespace });
  if (!files.ok) return files;
  const retired = isApproval ? await retirePredecessor(draft, row) : ok(null);
  if (!retired.ok) return retired;
  const event = eventOf(draft, row, {
    verb,
    said,
    status,
    files: [...files.value, ...(retired.value?.files ?? [])],
    ...(retired.value === null ? {} : { revises: retired.value.event }),
  });
  if (!event.ok) return event;
  return ok({ events: [event.value], message: messageOf(TITLES[verb], row), answer: { settled: verb } });
}

interface Said {
  readonly verb: Verb;
  readonly said: TrustGateResult;
  readonly files: readonly EventFile[];
  readonly status?: Status;
  readonly revises?: string;
}

function eventOf(draft: Draft, row: StoredThought, said: Said): Outcome<ChangeEvent> {
  const { verb, files, status, revises } = said;
  const { thought_id } = row.thought;
  const cause = claimEventOf(draft.index, thought_id);
  if (cause === null) {
    return refuse('conflict', `No signed event says who saved thought "${thought_id}"`, {
      next: 'Run "waymark verify"',
    });
  }
  const isVerdict = verb === 'approve' || verb === 'reject' || verb === 'request_changes';
  const target = revises === undefined ? { annotates: cause } : { revises };
  const last = row.event === undefined ? [] : [row.event];
  return ok({
    verb,
    ...(isVerdict ? target : {}),
    informed_by: [...new Set([cause, ...last])],
    local: {
      scope: row.scope,
      thought_id,
      ...(status === undefined ? {} : { status }),
      kind: 'llm_advisory',
      reason: said.said.reasoning,
      review: reviewOf(said.said),
    },
    files,
    claim: claimDigest(row.thought),
  });
}

function reviewOf({ policy, model, prompt, verdict, error }: TrustGateResult): ModelReview {
  return { policy, model, prompt, verdict, ...(error === undefined ? {} : { error }) };
}

/** FAVA's provenance blocks (fava.md 1.1): what the file itself says, for readers without the ledger. */
function extraOf(thought: Thought, { verb, said, now }: Decided & { readonly now: number }): JsonObject {
  const { approval: _, ...extra } = thought.metadata.extra;
  const at = toOffsetIso(isoFromMillis(now));
  const { reviewer, verdict: __, ...rest } = said;
  const trust_gate = { reviewer, reviewed_at: at, verdict: verb, ...rest };
  if (verb !== 'approve') return { ...extra, trust_gate };
  return { ...extra, trust_gate, approval: { kind: 'llm_advisory', actor: reviewer, approved_at: at } };
}

function messageOf(title: string, { thought, scope }: StoredThought): string {
  return `${title} thought ${thought.thought_id} in ${scope}`;
}

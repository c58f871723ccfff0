/** Writes what the model said, by the reviewer's key, if everything still stands as it did when the model was asked. */
import type { Hash, ModelReview, Signer } from '../../ledger/types.ts';
import { type Outcome, ok } from '../../record/outcome.ts';
import { GATE_AGENT_ID } from '../../record/principal.ts';
import type { JsonObject, Thought } from '../../record/thought.ts';
import { isoFromMillis, toOffsetIso } from '../../record/time.ts';
import type { Draft } from '../../store/draft.ts';
import type { StoredThought } from '../../store/index/types.ts';
import type { TrailContext } from '../context.ts';
import { placesOf } from '../places.ts';
import { eventAbout, stageVerdict } from '../stage-verdict.ts';
import { nearTombstones } from '../tombstones/consult.ts';
import type { TrustGateResult } from '../types.ts';
import { type Change, write } from '../write.ts';
import { adviceOn } from './advice.ts';
import { policyReader } from './policy.ts';

export interface Settlement {
  readonly scope: string;
  readonly thought_id: string;
  /**
   * What put forward the very claim the model saw. A claim alone would not do: a person may have sent it back since, and
   * its author put it forward unchanged.
   */
  readonly proposal: Hash | undefined;
  readonly said: TrustGateResult;
  readonly signer: Signer;
}

/** `late`: it was decided or changed meanwhile, or others are to judge it now, and nothing was written. */
export type Settled = 'approve' | 'reject' | 'request_changes' | 'error' | 'advise' | 'late';

export interface SettleResult {
  readonly settled: Settled;
}

export async function settle(context: TrailContext, settlement: Settlement): Promise<Outcome<SettleResult>> {
  const { principal, inbound: _, onSigned: __, attests: ___, ...rest } = context;
  const { scope, thought_id, proposal, said, signer } = settlement;
  const reviewer: TrailContext = {
    ...rest,
    principal: { agent_id: GATE_AGENT_ID, role: 'reviewer', via: principal.via },
    signer: async () => ok(signer),
  };
  const call = { verb: 'review', input: {}, idempotencyKey: undefined };
  return write<SettleResult>(reviewer, call, async (draft) => {
    const row = draft.index.thoughtById(thought_id).find((other) => other.scope === scope);
    if (row?.held !== true || row.thought.validation_status !== 'proposed' || row.superseded) return LATE;
    // An event fixes the file's bytes, and so the claim.
    if (proposal === undefined || row.event !== proposal) return LATE;
    if (policyReader(draft.index, context.gate).of(placesOf(draft.index, row)).policy !== said.policy) return LATE;
    const verb = verbFor(draft, row, said);
    return verb === 'advise' ? advise(draft, row, said) : decided(draft, row, { verb, said });
  });
}

const LATE: Outcome<Change<SettleResult>> = ok({ events: [], answer: { settled: 'late' } });

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
  if (earlier !== null && earlier.verdict !== 'error') return LATE;
  const about = eventAbout(draft, row, { verb: 'advise', local: localOf(said) });
  if (!about.ok) return about;
  const message = `Advise about thought ${row.thought.thought_id} in ${row.scope}`;
  return ok({ events: [about.value.event], message, answer: { settled: 'advise' } });
}

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
  const extra = extraOf(row.thought, { verb, said, now: draft.now });
  const staged = await stageVerdict(draft, row, { verb, status: STATUS_AFTER[verb], extra, local: localOf(said) });
  if (!staged.ok) return staged;
  const { event, message } = staged.value;
  return ok({ events: [event], message, answer: { settled: verb } });
}

/** What the event says of the model's word, beside what it is about. */
function localOf({ policy, model, prompt, verdict, error, reasoning }: TrustGateResult) {
  const review: ModelReview = { policy, model, prompt, verdict, ...(error === undefined ? {} : { error }) };
  return { kind: 'llm_advisory', reason: reasoning, review } as const;
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

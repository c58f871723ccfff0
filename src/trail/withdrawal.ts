/** What the file of a withdrawn thought says of it, for readers without the ledger; no part of its claim. */
import type { Thought } from '../record/thought.ts';
import { isoFromMillis, toOffsetIso } from '../record/time.ts';

export interface Withdrawal {
  readonly verb: 'forget' | 'rollback' | 'erase';
  readonly agentId: string;
  readonly reason: string;
  /** Unix milliseconds. */
  readonly now: number;
}

/** The thought tombstoned, with FAVA's provenance block (fava.md 1.1) saying who withdrew it and why. */
export function withdrawn(thought: Thought, { verb, agentId, reason, now }: Withdrawal): Thought {
  const trust_gate = {
    reviewer: `human:${agentId}`,
    reviewed_at: toOffsetIso(isoFromMillis(now)),
    verdict: verb,
    reasoning: reason,
    kind: 'human',
  };
  const extra = { ...thought.metadata.extra, trust_gate };
  return { ...thought, validation_status: 'tombstoned', metadata: { ...thought.metadata, extra } };
}

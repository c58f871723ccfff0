/** What a model said of the claim a thought has now, and did not decide. */
import { matchesDigest } from '../../ledger/index.ts';
import type { ModelReview } from '../../ledger/types.ts';
import { claimDigest } from '../../record/claim.ts';
import type { Thought } from '../../record/thought.ts';
import type { Index } from '../../store/index/index.ts';

export interface Advice extends ModelReview {
  /** Text of a stranger, or, of an error, ours. */
  readonly reasoning: string;
  /** Unix milliseconds. */
  readonly at: number;
}

/** The newest that counts; `null` when no model has been asked about this very claim. */
export function adviceOn(index: Index, thought: Thought): Advice | null {
  const claim = Buffer.from(claimDigest(thought), 'utf8');
  const event = index.eventsOfThought(thought.thought_id).findLast(({ envelope, valid }) => {
    const local = envelope._local;
    if (!valid || local?.verb !== 'advise' || local.thought_id !== thought.thought_id) return false;
    return local.claim !== undefined && matchesDigest(local.nonce, claim, local.claim);
  });
  const { review, reason = '' } = event?.envelope._local ?? {};
  if (event === undefined || review === undefined) return null;
  return { ...review, reasoning: reason, at: event.envelope.record.timestamp };
}

/** What a reviewing model said of a claim that a person is to decide. It decides nothing. */
import { matchesDigest } from '../ledger/index.ts';
import type { ModelReview } from '../ledger/types.ts';
import { claimDigest } from '../record/claim.ts';
import type { Thought } from '../record/thought.ts';
import type { Index } from '../store/index/index.ts';

export interface Advice extends Pick<ModelReview, 'verdict' | 'model' | 'error'> {
  /** The model's own words; text of a stranger. */
  readonly reason?: string;
  /** Unix milliseconds. */
  readonly at: number;
}

/** The latest about exactly this claim; `null` when nobody was asked. */
export function adviceOn(index: Index, thought: Thought): Advice | null {
  const claim = Buffer.from(claimDigest(thought), 'utf8');
  const event = index.eventsOfThought(thought.thought_id).findLast(({ envelope, valid }) => {
    const local = envelope._local;
    if (!valid || local?.verb !== 'advise' || local.kind !== 'llm_advisory') return false;
    return local.claim !== undefined && matchesDigest(local.nonce, claim, local.claim);
  });
  const { review, reason } = event?.envelope._local ?? {};
  if (event === undefined || review === undefined) return null;
  const { verdict, model, error } = review;
  return {
    verdict,
    model,
    ...(error === undefined ? {} : { error }),
    ...(reason === undefined ? {} : { reason }),
    at: event.envelope.record.timestamp,
  };
}

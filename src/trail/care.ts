/**
 * Why a proposal asks for more care than others: named reasons, each with what it rests on, never one number.
 *
 * A score would hide which of them it was, and be trained against; a name can be looked at and disagreed with.
 */

export const CARES = ['replaces', 'near_tombstone', 'contradicts', 'large', 'author_rejected'] as const;
export type CareName = (typeof CARES)[number];

export type Care =
  /** Approving it retires that thought. */
  | { readonly name: 'replaces'; readonly thought_id: string }
  /** It comes close to this rejected value. */
  | { readonly name: 'near_tombstone'; readonly tombstone: string }
  /** A governed thought of the scope says nearly the same with another number or unit, or the opposite. */
  | { readonly name: 'contradicts'; readonly thought_id: string; readonly differs: readonly Difference[] }
  /** Its body is longer than what is read at a glance; in UTF-8 bytes. */
  | { readonly name: 'large'; readonly bytes: number; readonly limit: number }
  /** Of the author's last `decided` proposals that the viewer may count. */
  | { readonly name: 'author_rejected'; readonly rejected: number; readonly decided: number };

/** In what two texts differ that else say nearly the same. */
export type Difference = 'number' | 'negation' | 'unit';

/** One line for people. */
export function describeCare(care: Care): string {
  switch (care.name) {
    case 'replaces':
      return `replaces ${care.thought_id}`;
    case 'near_tombstone':
      return `near rejected value ${care.tombstone}`;
    case 'contradicts':
      return `contradicts ${care.thought_id}: other ${care.differs.join(' and ')}`;
    case 'large':
      return `large: ${care.bytes} bytes, more than ${care.limit}`;
    case 'author_rejected':
      return `${care.rejected} of the author's last ${care.decided} rejected`;
  }
}

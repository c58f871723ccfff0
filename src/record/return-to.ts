/**
 * What taking a thought back to an earlier point means: a decision of today, never the bytes of then.
 *
 * A text that was approved once is never open again and never changes: what was approved since is withdrawn, and a text
 * that an edit replaced comes back as a new draft beside the present one.
 */
import { claimDigest } from './claim.ts';
import { isOpen, type StandingThought } from './lifecycle.ts';
import type { Status, Thought } from './thought.ts';

/** What a thought was at the point, as far as anything signed says so. */
export type Earlier =
  | { readonly kind: 'absent' }
  /** Its file was there, and no signed event of then is about those bytes. */
  | { readonly kind: 'unproved' }
  | ({ readonly kind: 'proved' } & StandingThought);

export interface Present extends StandingThought {
  /** An event since the point left it approved, whatever it is now. */
  readonly approvedSince: boolean;
}

export interface Successor {
  readonly id: string;
  readonly scope: string | undefined;
}

export interface Return {
  readonly status: Status;
  /** The thought that retires it from now on. */
  readonly successor: Successor | null;
  /** The text of then, edited since, comes back as a new draft. */
  readonly bringsTextBack: boolean;
}

/** `null` when the thought stands as it stood. Of a thought whose past is not proved nothing can be said. */
export function returnTo(earlier: Exclude<Earlier, { kind: 'unproved' }>, present: Present): Return | null {
  const status = statusAfter(earlier, present);
  const isGone = status === 'tombstoned' || status === 'rejected';
  const successor = isGone ? successorOf(present) : earlier.kind === 'absent' ? null : successorOf(earlier);
  const bringsTextBack =
    earlier.kind === 'proved' &&
    !isSameText(earlier, present) &&
    (isOpen(earlier.thought.validation_status) || earlier.thought.validation_status === 'approved');
  const isChanged =
    status !== present.thought.validation_status || !isSameSuccessor(successor, successorOf(present)) || bringsTextBack;
  return isChanged ? { status, successor, bringsTextBack } : null;
}

/** Who retires it; a back-link that retires nothing does not count. */
export function successorOf({ thought, superseded }: StandingThought): Successor | null {
  const { superseded_by: id, superseded_scope: scope } = thought;
  return superseded && id !== undefined ? { id, scope } : null;
}

/** The status as results name it: an approved thought that another one replaced is `superseded`. */
export function standingName(status: Status, successor: Successor | null): Status | 'superseded' {
  return successor !== null && (status === 'approved' || isOpen(status)) ? 'superseded' : status;
}

function statusAfter(earlier: Exclude<Earlier, { kind: 'unproved' }>, present: Present): Status {
  const now = present.thought.validation_status;
  if (earlier.kind === 'absent') return 'tombstoned';
  const then = earlier.thought.validation_status;
  const isApproved = now === 'approved' || present.approvedSince;
  if (then !== 'approved' && isApproved) return 'tombstoned';
  if (isSameText(earlier, present)) return then;
  // Another text than then: it never had the status of then.
  if (now === 'approved') return 'tombstoned';
  return now === 'proposed' ? 'draft' : now;
}

function isSameText(one: { readonly thought: Thought }, other: { readonly thought: Thought }): boolean {
  return claimDigest(one.thought) === claimDigest(other.thought);
}

export function isSameSuccessor(one: Successor | null, other: Successor | null): boolean {
  return one?.id === other?.id && one?.scope === other?.scope;
}

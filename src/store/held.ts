/**
 * Holds a thought file to the ledger: its committed bytes must be what the last event about its path says, and that
 * event's signer must have had the authority for the status the file claims. Everything else is unverified.
 */
import { matchesDigest } from '../ledger/index.ts';
import type { Verb } from '../ledger/types.ts';
import { isAuthorVerb, mayProduce, QUARANTINED } from '../record/lifecycle.ts';
import type { Thought } from '../record/thought.ts';
import type { PathEvent, ThoughtRow, UnverifiedReason } from './index/types.ts';
import type { RebuiltIndex } from './rebuilt-index.ts';

const RETIRING: readonly Verb[] = ['rollback', 'merge'];

type Held = Pick<ThoughtRow, 'held' | 'reason' | 'event' | 'retired'>;

interface ThoughtFile {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly thought: Thought;
}

export function holdToLedger(index: RebuiltIndex, file: ThoughtFile): Held {
  const held = holdToEvent(index.lastEventOfPath(file.path), file);
  if (!held.held || index.custodyOf(file.thought.thought_id)?.quarantined !== true) return held;
  return { ...held, held: false, reason: QUARANTINED };
}

/** Holds a file to the event that was the last about its path; also one of an earlier commit. */
export function holdToEvent(last: PathEvent | null, file: ThoughtFile): Held {
  if (last === null) return unverified(hasConflictMarkers(file.bytes) ? 'conflict_markers' : 'no_event');
  const { event, change } = last;
  const local = event.envelope._local;
  if (!event.valid || local === undefined || event.role === undefined) return unverified('event_invalid', event.hash);
  if (change.after === null || !matchesDigest(local.nonce, file.bytes, change.after)) {
    return unverified(hasConflictMarkers(file.bytes) ? 'conflict_markers' : 'changed_since_event', event.hash);
  }
  const { thought } = file;
  const agrees = change.status === thought.validation_status && change.thought_id === thought.thought_id;
  // The partner of an approved replacement keeps its status and only gains its back-link.
  const isPartner = local.verb === 'approve' && change.thought_id !== local.thought_id;
  const produced = isPartner ? 'approved' : thought.validation_status;
  const mayHold = mayProduce(local.verb, event.role, produced);
  const isAuthor = !isAuthorVerb(local.verb) || local.agent_id === thought.agent_id || event.role !== 'agent';
  if (!agrees || !mayHold || !isAuthor) return unverified('event_lacks_authority', event.hash);
  // An approved replacement and a merge retire; a rollback leaves a back-link only where the thought stays retired.
  const isRetired = thought.superseded_by !== undefined && (isPartner || RETIRING.includes(local.verb));
  return { held: true, event: event.hash, ...(isRetired ? { retired: true } : {}) };
}

function unverified(reason: UnverifiedReason, event?: string): Held {
  return { held: false, reason, ...(event === undefined ? {} : { event }) };
}

/** git and jj conflict markers at a line start. */
export function hasConflictMarkers(bytes: Uint8Array): boolean {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  return /^<{7}[ \n]/m.test(text) && /^>{7}[ \n]/m.test(text);
}

/** Which records an event names as its causes. */
import type { Hash, Verb } from '../ledger/types.ts';
import type { Principal } from '../record/principal.ts';
import type { Thought } from '../record/thought.ts';
import { isVisible } from '../record/visibility.ts';
import type { Index, IndexedEvent } from '../store/index/index.ts';
import { viewsOf } from './find-thought.ts';

/** Verbs whose event fixes the text a later decision is about. */
const CLAIM_VERBS: readonly Verb[] = ['save', 'update', 'supersede', 'change_scope', 'adopt'];

/**
 * The newest record of each named thought the caller may see. A thought it may not see contributes nothing: a record
 * hash would tell that it exists.
 */
export function causesOf(index: Index, ids: readonly string[], principal: Principal): readonly Hash[] {
  return [...new Set(ids)].flatMap((id) => {
    const row = index
      .thoughtById(id)
      .find(({ facts }) => viewsOf(principal).some((view) => isVisible(facts, { principal, view })));
    return row?.event === undefined ? [] : [row.event];
  });
}

/** The record that fixed the thought's present claim: its last save, update, replacement or adoption. */
export function claimEventOf(index: Index, thoughtId: string): Hash | null {
  return lastClaimEvent(index, thoughtId)?.hash ?? null;
}

/** Records of others that its author named as causes, in any of its saves, oldest save first. */
export function causeRecordsOf(index: Index, thoughtId: string): readonly Hash[] {
  const events = index.eventsOfThought(thoughtId);
  const own = new Set(events.map(({ hash }) => hash));
  const named = events
    .filter((event) => isClaimEvent(event, thoughtId))
    .flatMap(({ envelope }) => envelope.record.informed_by ?? []);
  return [...new Set(named)].filter((hash) => !own.has(hash));
}

/** Whether the agent is the thought's author, or wrote the text it has now: an operator may edit anyone's draft. */
export function isAuthorOf(index: Index, thought: Thought, agentId: string): boolean {
  const local = lastClaimEvent(index, thought.thought_id)?.envelope._local;
  // Adopting a text is not writing it.
  const writer = local?.verb === 'adopt' ? local.author : local?.agent_id;
  return thought.agent_id === agentId || writer === agentId;
}

function lastClaimEvent(index: Index, thoughtId: string): IndexedEvent | undefined {
  return index.eventsOfThought(thoughtId).findLast((event) => isClaimEvent(event, thoughtId));
}

function isClaimEvent({ envelope, valid }: IndexedEvent, thoughtId: string): boolean {
  const local = envelope._local;
  return valid && local?.thought_id === thoughtId && CLAIM_VERBS.includes(local.verb);
}

/**
 * Whose thought it is and how it stands, as the ledger says: what an agent's event is held to before it counts.
 *
 * A signature proves who wrote an event, not that the text was theirs to change: somebody who may commit could else put
 * a draft of their own in the place of an approved thought, or remove it, with a valid event.
 */
import type { Sidecar } from '../ledger/types.ts';
import { isOpen } from '../record/lifecycle.ts';
import { parseThoughtPath } from '../record/paths.ts';
import type { RebuiltIndex } from './rebuilt-index.ts';

/**
 * - `not_the_author`: another agent saved the thought that the event changes.
 * - `thought_frozen`: it was decided, and only who may decide changes it now.
 * - `removes_thought`: nobody but a decider moves or removes a thought's file.
 */
export type CustodyFault = 'not_the_author' | 'thought_frozen' | 'removes_thought';

/** `null` when the event may change the thought files it names. Those who may decide are held by verb and status. */
export function custodyFault(index: RebuiltIndex, sidecar: Sidecar): CustodyFault | null {
  if (sidecar.role === 'operator' || sidecar.role === 'reviewer') return null;
  for (const { path, after } of sidecar.files ?? []) {
    const place = parseThoughtPath(path);
    if (place === null) continue;
    if (after === null) return 'removes_thought';
    const custody = index.custodyOf(place.id);
    if (custody === null) continue;
    if (custody.agent_id !== sidecar.agent_id) return 'not_the_author';
    if (!isOpen(custody.status)) return 'thought_frozen';
  }
  return null;
}

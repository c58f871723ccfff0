/**
 * Whose thought it is and how it stands, as the ledger says: what an agent's event is held to before it counts.
 *
 * A signature proves who wrote an event, not that the text was theirs to change: somebody who may commit could else put
 * a draft of their own in the place of an approved thought, or remove it, with a valid event.
 */
import type { EventEnvelope, Sidecar } from '../ledger/types.ts';
import { canBeQuarantined, endsQuarantine, isOpen, writesText } from '../record/lifecycle.ts';
import { parseThoughtPath } from '../record/paths.ts';
import type { KeyRole } from '../record/principal.ts';
import type { Custody, Quarantine } from './index/types.ts';
import type { RebuiltIndex } from './rebuilt-index.ts';

/**
 * - `not_the_author`: another agent saved the thought that the event changes.
 * - `thought_frozen`: it was decided, and only who may decide changes it now.
 * - `removes_thought`: nobody but a decider moves or removes a thought's file.
 */
export type CustodyFault = 'not_the_author' | 'thought_frozen' | 'removes_thought';

const DECIDERS: readonly KeyRole[] = ['operator', 'reviewer', 'service'];

/** `null` when the event may change the thought files it names. Those who may decide are held by verb and status. */
export function custodyFault(index: RebuiltIndex, sidecar: Sidecar): CustodyFault | null {
  if (DECIDERS.includes(sidecar.role)) return null;
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

/** The custody of each thought whose file a valid event names: whoever saved it has it, or whom an adoption states. */
export function custodyAfter(
  { record, _local: local }: EventEnvelope,
  before: (id: string) => Custody | null,
): ReadonlyMap<string, Custody> {
  const after = new Map<string, Custody>();
  for (const { path, thought_id: id, status } of local?.files ?? []) {
    if (local === undefined || id === undefined || status === undefined || parseThoughtPath(path)?.id !== id) continue;
    const { verb, role, agent_id, author } = local;
    const known = before(id);
    const stated = role === 'operator' && verb === 'adopt' ? author : undefined;
    const isWritten = known === null || writesText(verb);
    const isDecided = id === local.thought_id && endsQuarantine(verb, role);
    after.set(id, {
      agent_id: stated ?? known?.agent_id ?? agent_id,
      status,
      written: Math.max(known?.written ?? 0, isWritten ? record.timestamp : 0),
      quarantined: known?.quarantined === true && !isDecided,
    });
  }
  return after;
}

/** What a valid event withholds; `null` for every other one. */
export function quarantineOf({ record, _local: local }: EventEnvelope): Quarantine | null {
  if (local?.verb !== 'quarantine' || local.quarantine === undefined) return null;
  const { agent_id, since } = local.quarantine;
  return { agent_id, since, at: record.timestamp };
}

/** Whether a quarantine that comes later in the order of all events withholds the thought. */
export function isWithheldBy({ agent_id, since }: Quarantine, custody: Custody): boolean {
  return custody.agent_id === agent_id && custody.written >= since && canBeQuarantined(custody.status);
}

/**
 * Whether an event's place in the order of all events says if a thought is withheld: a quarantine, a decision about what
 * is withheld, and what an agent wrote while a quarantine was on its way.
 */
export function isAboutQuarantine(index: RebuiltIndex, { record, _local: local }: EventEnvelope): boolean {
  if (local === undefined) return false;
  if (local.verb === 'quarantine') return true;
  const { thought_id: id, verb, role, agent_id } = local;
  if (id !== undefined && endsQuarantine(verb, role)) return index.custodyOf(id)?.quarantined === true;
  const { timestamp } = record;
  const isLate = (one: Quarantine) => one.agent_id === agent_id && timestamp >= one.since && timestamp <= one.at;
  return writesText(verb) && index.quarantines().some(isLate);
}

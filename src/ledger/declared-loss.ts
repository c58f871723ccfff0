/** Whether a log that is shorter than remembered was declared so by its own holder (docs/format.md, "Revocation"). */
import type { KeyRole } from '../record/principal.ts';
import { RANK } from './roster.ts';
import type { Remembered } from './seen.ts';
import type { LogLoss } from './types.ts';

/** What a counting `restored` event says, and for whom it spoke. */
export interface DeclaredLoss {
  readonly restored: LogLoss;
  readonly agent_id: string;
  readonly role: KeyRole;
}

/** A log that lacks what a machine, or an exported checkpoint, remembers of it. */
export interface MissingEnd {
  readonly log: string;
  readonly remembered: Remembered;
  /** Whose log it is, `null` when the record does not know its key: then nothing of it is left. */
  readonly holder: { readonly agent_id: string; readonly role: KeyRole } | null;
}

/** Nobody declares the loss of another's log, nor an agent that of an operator by the same name. */
export function isDeclaredLoss({ log, remembered, holder }: MissingEnd, declared: Iterable<DeclaredLoss>): boolean {
  for (const { restored, agent_id, role } of declared) {
    if (restored.log !== log || restored.size < remembered.size) continue;
    const isSameEnd = Buffer.from(restored.root, 'base64').equals(remembered.root);
    if (restored.size === remembered.size && !isSameEnd) continue;
    if (holder === null || (holder.agent_id === agent_id && RANK[role] >= RANK[holder.role])) return true;
  }
  return false;
}

/** The choke point: every thought that a write brings in or to life is asked of the tombstones. */
import type { EventFile } from '../../ledger/types.ts';
import { decodeThought } from '../../record/codec/index.ts';
import { type Outcome, ok, type Refusal, refuse } from '../../record/outcome.ts';
import { parseThoughtPath } from '../../record/paths.ts';
import type { Status, Thought } from '../../record/thought.ts';
import type { TombstoneNotice } from '../types.ts';
import type { ChangeEvent } from '../write.ts';
import type { ConsultedText } from './consult.ts';
import type { Consultation } from './consultation.ts';
import { type TombstoneIndex, tombstonesOver } from './in-force.ts';

export interface CheckedChange {
  /** Those of near texts name the tombstones. */
  readonly events: readonly ChangeEvent[];
  readonly near: readonly TombstoneNotice[];
}

/**
 * Refuses (`conflict`, rule `tombstone`) a text that a person rejected, and a model's approval (rule `near_tombstone`) of
 * one that comes close. What only takes a text out of use is not asked about.
 */
export function checkTombstones(
  index: TombstoneIndex,
  events: readonly ChangeEvent[],
  consultation: Consultation,
): Outcome<CheckedChange> {
  const checked: ChangeEvent[] = [];
  const all = new Map<string, TombstoneNotice>();
  const asked = inScopesOf(index);
  for (const event of events) {
    const near = new Map<string, TombstoneNotice>();
    for (const file of event.files) {
      const text = asked(file) ? textBroughtIn(event, file) : null;
      if (text === null) continue;
      const consulted = consultation.of(index, text);
      if (consulted.equal !== null) return tombstoneRefusal(consulted.equal);
      for (const notice of consulted.near) near.set(notice.tombstone, notice);
    }
    const [first] = near.values();
    if (first !== undefined && event.verb === 'approve' && event.local.kind !== 'human') return nearRefusal(first);
    for (const [id, notice] of near) all.set(id, notice);
    const marked = { ...event, local: { ...event.local, near_tombstone: [...near.keys()] } };
    checked.push(near.size === 0 ? event : marked);
  }
  return ok({ events: checked, near: [...all.values()] });
}

/** Also what adoption names, which it leaves out. */
export function tombstoneRefusal({ tombstone, scope, reason, since }: TombstoneNotice): Refusal {
  return refuse('conflict', `A person keeps this value out since ${since.slice(0, 10)}: ${reason}`, {
    rule: 'tombstone',
    next: `Do not state it in other words. If it belongs here after all, ask a person to run "waymark lift ${tombstone}"`,
    details: { tombstone, scope, since },
  });
}

function nearRefusal({ tombstone }: TombstoneNotice): Refusal {
  return refuse('conflict', `The text comes close to a rejected value, tombstone "${tombstone}"`, {
    rule: 'near_tombstone',
    next: 'A person decides it, with "waymark review"',
    details: { tombstone },
  });
}

/** Most scopes have no tombstone: then no file is read. */
function inScopesOf(index: TombstoneIndex): (file: EventFile) => boolean {
  const known = new Map<string, boolean>();
  return ({ path }) => {
    const scope = parseThoughtPath(path)?.scope;
    if (scope === undefined) return false;
    const has = known.get(scope) ?? tombstonesOver(index, scope).length > 0;
    known.set(scope, has);
    return has;
  };
}

function textBroughtIn(event: ChangeEvent, file: EventFile): ConsultedText | null {
  const scope = parseThoughtPath(file.path)?.scope;
  const thought = thoughtIn(file.after);
  if (scope === undefined || thought === null || isGone(thought.validation_status)) return null;
  // Adoption signs for bytes that nobody has asked about; an approval may end a quarantine.
  const isNew = event.verb === 'adopt' || (event.verb === 'approve' && thought.superseded_by === undefined);
  const before = isNew ? null : thoughtIn(bytesBefore(event, file));
  return isBroughtIn(thought, before) ? { scope, body: thought.body } : null;
}

/** An approved thought may move, which is two files of one event. */
function bytesBefore({ files }: ChangeEvent, { before, thought_id }: EventFile): Uint8Array | null {
  if (before !== null || thought_id === undefined) return before;
  return files.find((other) => other.thought_id === thought_id && other.after === null)?.before ?? null;
}

function isBroughtIn(thought: Thought, before: Thought | null): boolean {
  if (before === null || before.body !== thought.body || isGone(before.validation_status)) return true;
  if (before.superseded_by !== undefined && thought.superseded_by === undefined) return true;
  const { validation_status: status } = thought;
  return status !== before.validation_status && (status === 'proposed' || status === 'approved');
}

/** Out of use: nobody is told it as true. */
export function isGone(status: Status): boolean {
  return status === 'rejected' || status === 'tombstoned';
}

function thoughtIn(bytes: Uint8Array | null): Thought | null {
  const decoded = bytes === null ? null : decodeThought(bytes);
  return decoded?.ok === true ? decoded.thought : null;
}

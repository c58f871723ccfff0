/** What adoption leaves where it is because a person rejected the value: the files stay unverified. */
import type { Index } from '../../store/index/index.ts';
import { isGone } from '../tombstones/check-change.ts';
import { Consultation } from '../tombstones/consultation.ts';
import { keysInForce } from '../tombstones/in-force.ts';
import type { TombstoneNotice } from '../types.ts';

/** By path; without those that nobody would see anyway. */
export async function keptOut(index: Index, paths: readonly string[]): Promise<ReadonlyMap<string, TombstoneNotice>> {
  const consultation = new Consultation();
  return consultation.settled(() => findKeptOut(index, paths, consultation));
}

function findKeptOut(index: Index, paths: readonly string[], consultation: Consultation) {
  const found = new Map<string, TombstoneNotice>();
  // Most records have no tombstone, and adoption may bring in a hundred thousand files.
  if (keysInForce(index) === null) return found;
  for (const path of paths) {
    const row = index.thoughtByPath(path);
    if (row === null || isGone(row.thought.validation_status)) continue;
    const { equal } = consultation.of(index, { scope: row.scope, body: row.thought.body });
    if (equal !== null) found.set(path, equal);
  }
  return found;
}

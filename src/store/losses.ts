/** Logs that are shorter here than this machine remembers, and what was declared of them. */
import { type DeclaredLoss, isDeclaredLoss, type Remembered, rememberedLogs } from '../ledger/index.ts';
import type { LogLoss } from '../ledger/types.ts';
import type { Index } from './index/index.ts';

/** Number of events of a log, `null` when one is missing before its end: it was tampered with, and not cut. */
export function wholeSizeOf(index: Index, log: string): number | null {
  const size = index.writerTail(log)?.size ?? 0;
  const newest = index.newestEventOf(log)?.envelope.record.waymark?.seq ?? -1;
  return newest < size ? size : null;
}

/** Those of `logs` that are cut here. */
export function lossesOf(
  index: Index,
  at: { readonly logs: readonly string[]; readonly seenFolder: string },
): readonly LogLoss[] {
  if (at.logs.length === 0) return [];
  const remembered = rememberedLogs(at.seenFolder);
  return [...new Set(at.logs)].sort().flatMap((log) => {
    const memory = remembered.get(log);
    const found = wholeSizeOf(index, log);
    if (memory === undefined || found === null || found >= memory.size) return [];
    return [{ log, size: memory.size, root: Buffer.from(memory.root).toString('base64'), found }];
  });
}

/** What is asked of an index. */
export type LossIndex = Pick<Index, 'keys' | 'validEventsOf'>;

/** Whether the holder of a log that is cut here declared so. */
export function isLossDeclared(
  index: LossIndex,
  { log: name, remembered }: { readonly log: string; readonly remembered: Remembered },
): boolean {
  const holder = index.keys().find(({ log }) => log === name) ?? null;
  return isDeclaredLoss({ log: name, remembered, holder }, declaredLosses(index));
}

/** Every loss that a counting event of the record declares, and who did. */
export function declaredLosses(index: Pick<LossIndex, 'validEventsOf'>): readonly DeclaredLoss[] {
  return index.validEventsOf('restored').flatMap(({ envelope, role }) => {
    const { restored, agent_id } = envelope._local ?? {};
    return restored === undefined || agent_id === undefined || role === undefined ? [] : [{ restored, agent_id, role }];
  });
}

/** Logs that are shorter here than this machine remembers, and what was declared of them. */
import { type DeclaredLoss, isDeclaredLoss, type Remembered, rememberedLogs } from '../ledger/index.ts';
import type { LogLoss } from '../ledger/types.ts';
import type { Index } from './index/index.ts';

/** Those of `logs` that are cut here. */
export function lossesOf(
  index: Index,
  at: { readonly logs: readonly string[]; readonly seenFolder: string },
): readonly LogLoss[] {
  if (at.logs.length === 0) return [];
  const remembered = rememberedLogs(at.seenFolder);
  return [...new Set(at.logs)].sort().flatMap((log) => {
    const memory = remembered.get(log);
    const found = index.writerTail(log)?.size ?? 0;
    if (memory === undefined || found >= memory.size) return [];
    return [{ log, size: memory.size, root: Buffer.from(memory.root).toString('base64'), found }];
  });
}

/** Whether the holder of a log that is cut here declared so. */
export function isLossDeclared(
  index: Index,
  { log: name, remembered }: { readonly log: string; readonly remembered: Remembered },
): boolean {
  const holder = index.keys().find(({ log }) => log === name) ?? null;
  return isDeclaredLoss({ log: name, remembered, holder }, declaredLosses(index));
}

/** Every loss that a counting event of the record declares, and who did. */
export function declaredLosses(index: Index): readonly DeclaredLoss[] {
  return index.validEventsOf('restored').flatMap(({ envelope, role }) => {
    const { restored, agent_id } = envelope._local ?? {};
    return restored === undefined || agent_id === undefined || role === undefined ? [] : [{ restored, agent_id, role }];
  });
}

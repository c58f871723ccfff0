/**
 * Which logs a signed checkpoint answers for. A checkpoint signs the root of the tree over all records of its log, and
 * each record's hash covers its own signature: when the tree read is the tree signed, the key has signed every record
 * of it. A rebuild checks that one signature; `verify` checks each.
 */
import { checkpointOrigin, checkpointPath, parseCheckpoint, parseEventPath, rootOf } from '../ledger/index.ts';
import type { Trust } from './changed-file.ts';
import type { RebuiltIndex } from './rebuilt-index.ts';
import type { TreeEntry } from './version-store.ts';

/** Logs that could be covered: as many events as the checkpoint says. Their files must be the first `n` of the log. */
export function claimedLogs(index: RebuiltIndex, files: readonly TreeEntry[]): ReadonlySet<string> {
  const sizes = new Map<string, number>();
  for (const { path } of files) {
    const log = parseEventPath(path)?.log;
    if (log !== undefined) sizes.set(log, (sizes.get(log) ?? 0) + 1);
  }
  return new Set([...sizes].filter(([log, size]) => claimedSize(index, log) === size).map(([log]) => log));
}

/** The first log whose tree is not the one its checkpoint signs, `null` when all are. */
export function findUncovered(index: RebuiltIndex, logs: ReadonlySet<string>, trust: Trust): string | null {
  for (const log of logs) {
    const writer = index.writerTail(log);
    const bytes = index.setting(checkpointPath(log));
    if (writer === null || bytes === null) return log;
    const origin = checkpointOrigin(trust.repositoryId, log);
    const parsed = parseCheckpoint(textOf(bytes), { origin, publicKey: writer.publicKey });
    if (!parsed.ok || parsed.checkpoint.size !== writer.size) return log;
    if (!Buffer.from(rootOf(writer.peaks)).equals(parsed.checkpoint.root)) return log;
  }
  return null;
}

/** The second line of a checkpoint, not believed yet. */
function claimedSize(index: RebuiltIndex, log: string): number | null {
  const bytes = index.setting(checkpointPath(log));
  return bytes === null ? null : Number(textOf(bytes).split('\n')[1]);
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8');
}

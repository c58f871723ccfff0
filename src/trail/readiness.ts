/**
 * Whether the record can be served now, asked by load balancers and supervisors as often as they like.
 *
 * Each check says `ok` or one reason out of a closed list: no path, no text, no number that depends on a thought. Nothing is
 * written into the record; the index catches up as at any read. The heads of the logs are verified, not the logs: that is
 * `waymark verify`.
 */
import {
  checkpointOrigin,
  checkpointPath,
  compareWithRemembered,
  parseCheckpoint,
  rememberedLogs,
  rootOf,
} from '../ledger/index.ts';
import type { IndexedWriter } from '../store/index/types.ts';
import { isLossDeclared } from '../store/losses.ts';
import { canWriteIn, folderState, freeBytes } from '../store/probe.ts';
import { isRunning } from '../store/process-id.ts';
import { readRecord } from './locate.ts';
import type { OpenRecord } from './open.ts';

/** What can be wrong, by check, in the order they are asked. Stable: alerts match on them. */
export const READINESS_REASONS = {
  repository: [
    'repository_missing',
    'repository_unreadable',
    'config_missing',
    'config_malformed',
    'config_foreign',
    'branch_missing',
  ],
  index: ['index_unreadable', 'index_behind'],
  ledger: [
    'ledger_unreadable',
    'ledger_checkpoint_missing',
    'ledger_checkpoint_invalid',
    'ledger_root_differs',
    'ledger_cut',
    'ledger_forked',
  ],
  state: ['state_not_writable'],
  disk: ['disk_not_writable', 'disk_full'],
  lock: ['lock_unusable', 'lock_stale'],
} as const;

export type ReadinessCheck = keyof typeof READINESS_REASONS;
export type ReadinessReason = (typeof READINESS_REASONS)[ReadinessCheck][number];

export interface Readiness {
  /** Those that were asked. */
  readonly checks: Readonly<Partial<Record<ReadinessCheck, 'ok' | ReadinessReason>>>;
  /** The first that is wrong. */
  readonly reason?: ReadinessReason;
}

/** Below this a repack and a few saves may not fit: what `doctor` calls too little. */
const LEAST_FREE_BYTES = 64 * 1024 * 1024;
/** Nothing of ours holds the lock this long: whoever does hangs. */
const LONGEST_HOLD_MS = 60_000;

type Check = (record: OpenRecord) => Promise<ReadinessReason | null> | ReadinessReason | null;

/** In this order. */
const CHECKS: readonly (readonly [ReadinessCheck, Check])[] = [
  ['repository', checkRepository],
  ['index', checkIndex],
  ['ledger', checkLedger],
  ['state', async ({ seenFolder }) => ((await canWriteIn(seenFolder)) ? null : 'state_not_writable')],
  ['disk', checkDisk],
  ['lock', checkLock],
];

/** @param signal Ends it between two checks. */
export async function readiness(record: OpenRecord, signal?: AbortSignal): Promise<Readiness> {
  const checks: Partial<Record<ReadinessCheck, 'ok' | ReadinessReason>> = {};
  let reason: ReadinessReason | undefined;
  for (const [name, check] of CHECKS) {
    signal?.throwIfAborted();
    const wrong = await check(record);
    checks[name] = wrong ?? 'ok';
    reason ??= wrong ?? undefined;
    // What comes after reads what is not there.
    if (name === 'repository' && wrong !== null) break;
  }
  return { checks, ...(reason === undefined ? {} : { reason }) };
}

async function checkRepository({ repository }: OpenRecord): Promise<ReadinessReason | null> {
  const folder = await folderState(repository.root);
  if (folder !== 'there') return `repository_${folder}`;
  const found = readRecord(repository.root);
  if (found === null) return 'config_missing';
  if (!found.ok) return 'config_malformed';
  if (found.value.waymark.id !== repository.trust.repositoryId) return 'config_foreign';
  try {
    return repository.store.head() === null ? 'branch_missing' : null;
  } catch {
    return 'repository_unreadable';
  }
}

async function checkIndex({ repository }: OpenRecord): Promise<ReadinessReason | null> {
  try {
    const { state } = await repository.read((index) => index.indexedCommit());
    return state === undefined ? null : 'index_behind';
  } catch {
    return 'index_unreadable';
  }
}

/** The checkpoint of each log as it is committed, against its key and the tree the index made of the log's events. */
async function checkLedger(record: OpenRecord): Promise<ReadinessReason | null> {
  const { repository, seenFolder } = record;
  const { store, trust } = repository;
  try {
    const memory = rememberedLogs(seenFolder);
    const { value } = await repository.read((index) => {
      const writers = index.writers().filter(({ size }) => size > 0);
      const remembered = writers.flatMap(({ log, size, peaks }) => {
        const rootAt = (at: number) => (at === size ? rootOf(peaks) : null);
        const verdict = compareWithRemembered({ dir: seenFolder, log }, { size, rootAt });
        const known = memory.get(log);
        if (verdict === 'cut' && known !== undefined && isLossDeclared(index, { log, remembered: known })) return [];
        return verdict === 'cut' || verdict === 'forked' ? [`ledger_${verdict}` as const] : [];
      });
      return { head: index.indexedCommit(), writers, remembered };
    });
    const { head, writers, remembered } = value;
    if (head === null) return 'ledger_unreadable';
    for (const writer of writers) {
      const bytes = await store.readPath(head, checkpointPath(writer.log));
      const wrong = bytes === null ? 'ledger_checkpoint_missing' : checkpointFault(writer, bytes, trust.repositoryId);
      if (wrong !== null) return wrong;
    }
    return remembered[0] ?? null;
  } catch {
    return 'ledger_unreadable';
  }
}

function checkpointFault(writer: IndexedWriter, bytes: Uint8Array, repositoryId: string): ReadinessReason | null {
  const { log, publicKey, size, peaks } = writer;
  const text = Buffer.from(bytes).toString('utf8');
  const parsed = parseCheckpoint(text, { origin: checkpointOrigin(repositoryId, log), publicKey });
  if (!parsed.ok) return 'ledger_checkpoint_invalid';
  const { checkpoint } = parsed;
  const isSame = checkpoint.size === size && Buffer.from(rootOf(peaks)).equals(checkpoint.root);
  return isSame ? null : 'ledger_root_differs';
}

async function checkDisk({ repository }: OpenRecord): Promise<ReadinessReason | null> {
  if ((await freeBytes(repository.root)) < LEAST_FREE_BYTES) return 'disk_full';
  return (await repository.isStateWritable()) ? null : 'disk_not_writable';
}

/** The kernel frees a dead holder's lock; a note of a process that is gone means that the file system did not. */
function checkLock({ repository }: OpenRecord): ReadinessReason | null {
  try {
    const { held, holder } = repository.lockState();
    const note = held && holder !== null ? /^\{"pid":(\d+),.*"since":"([^"]+)"\}$/.exec(holder) : null;
    if (note === null) return null;
    const [, pid = '', since = ''] = note;
    const isAlive = isRunning({ pid: Number(pid), started: 0 });
    return isAlive && !(Date.now() - Date.parse(since) > LONGEST_HOLD_MS) ? null : 'lock_stale';
  } catch {
    return 'lock_unusable';
  }
}

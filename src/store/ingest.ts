/**
 * Takes committed files into the index: events first, in the repository's order, then the thoughts they speak of.
 *
 * One path for the writer's own commits, outside commits and rebuilds, so that what a reader sees never depends on who
 * made the commit. Runs inside the caller's index transaction.
 */
import { isCheckpointPath, parseEventPath } from '../ledger/index.ts';
import { decodeThought } from '../record/codec/index.ts';
import { governedPath, isThoughtLike, parseThoughtPath } from '../record/paths.ts';
import type { ChangedFile, Trust } from './changed-file.ts';
import { quarantineOf } from './custody.ts';
import { type ReadSigned, settleGoverned } from './governed.ts';
import { hasConflictMarkers, holdToLedger } from './held.ts';
import type { Index } from './index/index.ts';
import { ingestEvents } from './ingest-events.ts';
import type { RebuiltIndex } from './rebuilt-index.ts';

export interface IngestOptions {
  readonly trust: Trust;
  /** Unix milliseconds; bounds how far in the future an event may be dated. */
  readonly now: number;
  /** Bytes of a path that new events name and `changes` does not hold; `null` when it is gone. */
  readonly readPath: (path: string, blob: string) => Promise<Uint8Array>;
  /** Signed versions of settings that are no longer committed, out of history. Absent under the lock. */
  readonly readSigned?: ReadSigned;
  /** The events are made here and now, so that they are the last in the order. @default false */
  readonly isOwn?: true;
}

/**
 * - `done`
 * - `rebuild`: an event already taken in was changed or removed, one before it came back, an erasure or a revocation voids it,
 *   or who was first in saying something of a key or of a quarantine is in question, so everything held to it must be looked at again; or history must
 *   be read, which takes too long here.
 */
export type IngestResult = 'done' | 'rebuild';

/** More thoughts than this are not looked at again on a caller's time. */
const MOST_WITHHELD = 500;
/** Code of a file that a merge left unreadable. */
const MARKERS = 'conflict_markers';

/** Files whose committed bytes the index keeps as they are. */
export function isSetting(path: string): boolean {
  return isCheckpointPath(path) || governedPath(path);
}

export async function ingest(
  index: Index,
  changes: readonly ChangedFile[],
  options: IngestOptions,
): Promise<IngestResult> {
  const events = changes.filter((change) => change.path.startsWith('ledger/') && change.path.endsWith('.jsonl'));
  if (events.some((event) => isOldEvent(index, event.path))) return 'rebuild';
  for (const { path, bytes } of changes) if (isSetting(path)) index.putSetting(path, bytes);
  const { positions, restart, isContested, isErasing } = await ingestEvents(index, events, options);
  if (isErasing === true || restart !== undefined || (isContested === true && options.isOwn !== true)) return 'rebuild';
  const files = new Map(changes.filter(({ path }) => isThoughtLike(path)).map((change) => [change.path, change]));
  const withheld = isContested === true ? pathsWithheldBy(index, positions) : [];
  if (withheld.length > MOST_WITHHELD) return 'rebuild';
  const named = [...index.pathsOfEvents(positions), ...withheld];
  const governed = new Set([...changes.map(({ path }) => path), ...named].filter(governedPath));
  if (!(await settleGoverned(index, governed, options.readSigned))) return 'rebuild';
  for (const path of named) {
    if (files.has(path) || !isThoughtLike(path)) continue;
    const row = index.thoughtByPath(path);
    if (row !== null) files.set(path, { path, blob: row.blob, bytes: await options.readPath(path, row.blob) });
  }
  for (const file of files.values()) ingestThought(index, file);
  index.settleSupersession();
  return 'done';
}

/** Thoughts that events among these put into quarantine: their files are as before, and looked at again. */
function pathsWithheldBy(index: Index, positions: readonly number[]): readonly string[] {
  const quarantines = positions.flatMap((pos) => {
    const event = index.eventAt(pos);
    return event?.valid === true ? (quarantineOf(event.envelope) ?? []) : [];
  });
  return [...new Set(quarantines.flatMap((quarantine) => index.pathsWritten(quarantine)))];
}

/** Taken in already, or before one that was: an event that comes back into a gap. Either way the order changes. */
function isOldEvent(index: Index, path: string): boolean {
  const place = parseEventPath(path);
  if (place === null) return false;
  const newest = index.newestEventOf(place.log)?.envelope.record.waymark?.seq ?? -1;
  return newest >= place.seq;
}

/** Takes in one thought-like file: a row, or a problem with its path and line. */
export function ingestThought(index: RebuiltIndex, file: ChangedFile): void {
  const { path, blob, bytes } = file;
  index.removeProblem(path);
  if (blob === null || bytes === null) {
    index.removeThought(path);
    return;
  }
  const place = parseThoughtPath(path);
  const decoded = decodeThought(bytes);
  const problem = !decoded.ok
    ? { line: decoded.line, code: hasConflictMarkers(bytes) ? MARKERS : decoded.code, message: decoded.message }
    : place === null
      ? { line: 1, code: 'misplaced', message: 'The path is not trails/<scope>/thoughts/<namespace>/<ULID>.md' }
      : decoded.thought.thought_id !== place.id
        ? {
            line: 1,
            code: 'wrong_name',
            message: `The file name and thought_id "${decoded.thought.thought_id}" differ`,
          }
        : null;
  if (problem !== null || !decoded.ok || place === null) {
    index.removeThought(path);
    if (problem !== null) index.putProblem({ path, ...problem });
    return;
  }
  const { thought } = decoded;
  const held = holdToLedger(index, { path, bytes, thought });
  index.putThought({ path, scope: place.scope, namespace: place.namespace, blob, thought, ...held });
}

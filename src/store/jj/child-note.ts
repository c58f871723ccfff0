/**
 * Who runs jj for us: a note of the running child, so that whoever comes after a dead writer waits for what it started.
 *
 * The child writes the note itself, in the shell that then becomes jj, so there is no moment in which it runs unnamed.
 * The note goes away when jj has ended in order; one that stays names a child that was cut off, with its locks.
 */
import { readFile, rm, stat } from 'node:fs/promises';
import { fenceChildren } from '../fence.ts';
import { parseProcessStat } from '../process-id.ts';
import type { ChildProcessId } from '../version-store.ts';

/** Arguments of `/bin/sh` that write the note `$1` and become the program `$2` with the rest as arguments. */
export const SHELL = '/bin/sh';
const SCRIPT =
  '{ read -r s < "/proc/$$/stat" || s=$$; } 2>/dev/null; printf "%s\\n" "$s" > "$1" || exit 125; shift; exec "$@"';

export function notedCommand(note: string, program: string, args: readonly string[]): readonly string[] {
  return ['-c', SCRIPT, 'sh', note, program, ...args];
}

export interface LeftLocks {
  /** Locks that jj holds for milliseconds, absolute. */
  readonly refs: readonly string[];
  /** `index.lock` of git, which a person's `git commit` may hold for long. */
  readonly index: string;
}

/** A child wrote `index.lock` within this time of its start, if it did. Milliseconds. */
const INDEX_LOCK_MS = 10_000;

/** Waits for the child that the note names, ends one that hangs, and removes the locks it left. Then the note goes. */
export async function fenceNoted(note: string, locks: LeftLocks): Promise<void> {
  const text = await readFile(note, 'utf8').catch(() => null);
  if (text === null) return;
  const child = parseNote(text);
  const since = (await stat(note)).mtimeMs;
  const index = await stat(locks.index).catch(() => null);
  const isOurs = index !== null && index.mtimeMs >= since - 20 && index.mtimeMs <= since + INDEX_LOCK_MS;
  const lockFiles = isOurs ? [...locks.refs, locks.index] : locks.refs;
  await fenceChildren(child === null ? [] : [child], { lockFiles });
  await rm(note, { force: true });
}

/** `null` for a note that was cut off: its shell died before it became jj. */
function parseNote(text: string): ChildProcessId | null {
  if (!text.endsWith('\n')) return null;
  const stated = parseProcessStat(text);
  if (stated !== null) return stated;
  const pid = Number(text);
  return Number.isSafeInteger(pid) && pid > 0 ? { pid, started: 0 } : null;
}

/** Names processes so that a reused pid is never mistaken for the process that once had it. */
import { readFileSync } from 'node:fs';
import { errnoOf } from '../record/errno.ts';
import type { ChildProcessId } from './version-store.ts';

interface ProcessState {
  /** One letter of proc(5), e.g. `S`, or `Z` for a process that ended and was not collected. */
  readonly state: string;
  /** Clock ticks since boot. */
  readonly started: number;
}

/** The identity of a running process; `started` is 0 where there is no /proc. */
export function processId(pid: number): ChildProcessId {
  return { pid, started: readProcessState(pid)?.started ?? 0 };
}

/**
 * Whether exactly this process still runs. Without a start time any process of that pid counts, so a caller must not
 * end it on that ground alone.
 */
export function isRunning(child: ChildProcessId): boolean {
  if (!existsPid(child.pid)) return false;
  const found = readProcessState(child.pid);
  if (found === null) return child.started === 0;
  // A zombie holds its pid but acts on nothing.
  if (found.state === 'Z' || found.state === 'X') return false;
  return child.started === 0 || found.started === child.started;
}

function existsPid(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it exists and belongs to somebody else.
    return errnoOf(error) === 'EPERM';
  }
}

function readProcessState(pid: number): ProcessState | null {
  try {
    return parseState(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return null;
  }
}

/** The process that a line of `/proc/PID/stat` is about, `null` for another text. */
export function parseProcessStat(stat: string): ChildProcessId | null {
  const pid = Number(/^\d+(?= \()/.exec(stat)?.[0]);
  const state = parseState(stat);
  return state === null || !Number.isSafeInteger(pid) ? null : { pid, started: state.started };
}

function parseState(stat: string): ProcessState | null {
  // Field 2 is the command in parentheses and may itself hold spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const state = fields[0];
  const started = Number(fields[19]);
  return state === undefined || !Number.isSafeInteger(started) ? null : { state, started };
}

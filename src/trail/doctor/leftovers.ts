/** What cut-off processes left, and who writes right now. */
import { shellWord } from '../../record/shell-word.ts';
import { LONG_HOLD_MS, lockNote } from '../lock-note.ts';
import type { Facts, Leftover, LockFacts } from './facts.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

/** No lock or temporary file of a living process stays this long. Milliseconds. */
const STALE_MS = 10 * 60_000;
/** A person's `git commit` holds the index while an editor is open. Milliseconds. */
const STALE_LOCK_MS = 60_000;

export function checkLeftovers({ record, now }: Facts): readonly Finding[] {
  if (record === null) return [];
  const { leftovers, lock } = record;
  const found = leftovers.flatMap((leftover) => findingOf(leftover, lock.held) ?? []);
  return [checkLock(lock, now), ...(found.length > 0 ? found : [ok('leftovers', 'none')])];
}

function findingOf({ kind, path, ageMs }: Leftover, isWriting: boolean): Finding | null {
  const remove = `rm ${shellWord(path)}`;
  switch (kind) {
    case 'intent':
      if (isWriting) return null;
      return warn(
        'leftovers',
        'A write was cut off; the next write finishes it',
        'Save anything, or wait for the next save',
      );
    case 'damaged_intent':
      return warn('leftovers', `"${path}" is no whole intent; what it held was never acknowledged`, remove);
    case 'set_aside':
      return warn('leftovers', `"${path}" was set aside as damaged; what it held was never acknowledged`, remove);
    case 'temporary':
      return ageMs < STALE_MS ? null : warn('leftovers', `"${path}" was left by a process that was cut off`, remove);
    case 'git_lock':
      if (ageMs < STALE_LOCK_MS) return null;
      return fail('leftovers', `"${path}" keeps git from writing, unless a git command is still running`, remove);
    case 'git_temporary':
      return ageMs < STALE_MS ? null : warn('leftovers', `"${path}" was left by a git that was cut off`, remove);
    case 'fava_journal':
      return fail('leftovers', `"${path}": FAVA Trails was cut off in a write`, 'waymark adopt');
  }
}

function checkLock({ held, holder, fault, fava }: LockFacts, now: number): Finding {
  if (fault !== undefined) return fail('lock', fault, 'Move what stands at that path aside');
  if (fava)
    return warn('lock', 'FAVA Trails is writing; the two take turns', 'Stop FAVA Trails, or wait until it is done');
  if (!held) return ok('lock', 'free');
  const { pid, agent, since } = lockNote(holder);
  const who = pid === undefined ? 'a process that left no note' : `process ${pid} of "${agent}" since ${since}`;
  const age = since === undefined ? 0 : now - Date.parse(since);
  if (age < LONG_HOLD_MS) return ok('lock', `held by ${who}`);
  return warn('lock', `Held by ${who}, far longer than a write takes`, `ps -p ${pid}, and end it if it hangs`);
}

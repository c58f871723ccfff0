/**
 * Leaves nothing of an erased text in the files beside the record: the index is made anew and its write-ahead log cut.
 *
 * A note in `.waymark` says that this is due. It is written before the text goes, so that whoever opens the record next
 * goes on where a process died or a reader was in the way.
 */
import { existsSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { errnoOf } from '../record/errno.ts';
import { writeDurableFile } from './durable-file.ts';
import { forgetPastIndexes } from './past/past-indexes.ts';
import type { RepositoryIndex } from './repository-index.ts';

const NOTE = 'erasing';
const RETRY_MS = 20;

/** Whether an erasure is not finished here. */
export function isScrubDue(folder: string): boolean {
  return existsSync(join(folder, NOTE));
}

/** @param folder `.waymark` */
export async function noteScrub(folder: string): Promise<void> {
  await writeDurableFile(join(folder, NOTE), Buffer.from('An erasure is to be finished here\n'), {
    temporary: join(folder, 'tmp'),
    mode: 0o600,
  });
}

/**
 * Clears what writes of before left behind and cuts the index's log, waiting for readers; `false` when one stays.
 * The index must be in step.
 */
export async function scrub(folder: string, index: RepositoryIndex, waitMs: number): Promise<boolean> {
  forgetPastIndexes(dirname(folder));
  await clearLeftovers(folder);
  const deadline = performance.now() + waitMs;
  while (!(await index.truncateLog())) {
    if (performance.now() >= deadline) return false;
    await delay(RETRY_MS);
  }
  await rm(join(folder, NOTE), { force: true });
  return true;
}

/** Files that a dead process staged and never placed, and intents that were set aside: both may hold a text. */
async function clearLeftovers(folder: string): Promise<void> {
  const temporary = join(folder, 'tmp');
  const staged = existsSync(temporary) ? readdirSync(temporary).filter(isOfDeadProcess) : [];
  const damaged = readdirSync(folder).filter((name) => name.startsWith('intent.damaged-'));
  const files = [...staged.map((name) => join(temporary, name)), ...damaged.map((name) => join(folder, name))];
  for (const file of files) await rm(file, { force: true });
}

/** Staged files are named for the process that writes them. */
function isOfDeadProcess(name: string): boolean {
  const pid = Number(/^(\d+)-/.exec(name)?.[1] ?? Number.NaN);
  if (!Number.isSafeInteger(pid) || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return errnoOf(error) === 'ESRCH';
  }
}

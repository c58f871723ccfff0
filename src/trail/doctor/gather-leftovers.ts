/** What processes that were cut off left behind. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { GitLocation } from '../../store/git/environment.ts';
import { refLockFiles } from '../../store/git/repository.ts';
import { intentFile, readIntent } from '../../store/intent.ts';
import type { Leftover } from './facts.ts';
import { statOrNull } from './stat.ts';

export interface LeftoverPlace {
  readonly root: string;
  readonly location: GitLocation | null;
  readonly branch: string;
  readonly now: number;
}

/** FAVA's files in `.jj` (fava.md 2). */
const FAVA_JOURNAL = 'fava-governance-transaction.json';
const FAVA_LOCK = 'fava-governance.lock';

export async function leftoversOf({ root, location, branch, now }: LeftoverPlace): Promise<readonly Leftover[]> {
  const state = join(root, '.waymark');
  const at = (kind: Leftover['kind'], ...paths: readonly string[]): readonly Leftover[] =>
    paths.flatMap((path) => {
      const found = statOrNull(path);
      return found === null ? [] : [{ kind, path, ageMs: Math.max(0, now - found.mtimeMs) }];
    });
  return [
    ...at((await isDamaged(state)) ? 'damaged_intent' : 'intent', intentFile(state)),
    ...at('set_aside', ...filesIn(state, (name) => name.startsWith(`${basename(intentFile(state))}.damaged-`))),
    ...at('temporary', ...filesIn(join(state, 'tmp'), () => true)),
    ...(location === null ? [] : at('git_lock', ...gitLocks(location, branch))),
    ...(location === null ? [] : at('git_temporary', ...gitTemporaries(location))),
    ...at('fava_journal', join(root, '.jj', FAVA_JOURNAL)),
  ];
}

/**
 * Whether FAVA holds its lock, which is flock(2): Node cannot try one, so the kernel's table is read. False where there
 * is no such table.
 */
export function favaHoldsLock(root: string): boolean {
  const found = statOrNull(join(root, '.jj', FAVA_LOCK));
  if (found === null) return false;
  try {
    const held = readFileSync('/proc/locks', 'utf8').split('\n');
    return held.some((line) => line.includes('FLOCK') && line.includes(`:${found.ino} `));
  } catch {
    return false;
  }
}

async function isDamaged(state: string): Promise<boolean> {
  try {
    return (await readIntent(state))?.ok === false;
  } catch {
    return true;
  }
}

function gitLocks({ gitDir, commonDir }: GitLocation, branch: string): readonly string[] {
  return [join(gitDir, 'index.lock'), join(commonDir, 'config.lock'), ...refLockFiles({ gitDir, commonDir }, branch)];
}

function gitTemporaries({ commonDir }: GitLocation): readonly string[] {
  return [
    ...filesIn(join(commonDir, 'objects', 'pack'), (name) => name.startsWith('tmp_')),
    ...filesIn(commonDir, (name) => name.startsWith('fast_import_crash_')),
  ];
}

function filesIn(folder: string, isWanted: (name: string) => boolean): readonly string[] {
  try {
    return readdirSync(folder)
      .filter(isWanted)
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}

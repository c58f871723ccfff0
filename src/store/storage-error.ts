import { errnoOf } from './errno.ts';
import { GitError } from './git/run-git.ts';

/**
 * What went wrong below us, for the caller: git that cannot do its work, a full disk, missing permissions. `null` for
 * any other error, which is a broken promise of our own.
 */
export function storageMessage(error: unknown): string | null {
  if (error instanceof GitError) return error.message;
  return error instanceof Error && errnoOf(error)?.startsWith('E') ? error.message : null;
}

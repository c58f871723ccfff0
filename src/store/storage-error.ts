import { errnoOf } from '../record/errno.ts';
import { GitError } from './git/run-git.ts';
import { LockFileError } from './lock.ts';

/** System errors such as `ENOSPC`; not Node's own, `ERR_...`, which are mistakes of the program. */
const SYSTEM = /^E[A-Z0-9]+$/;

/** SQLite's words for a file that cannot be opened or written, a full disk, a failing one. */
const SQLITE = /^SQLITE_(?:CANTOPEN|READONLY|FULL|IOERR|PERM|AUTH|NOTADB)/;

/**
 * What went wrong below us, for the caller: git that cannot do its work, a full disk, missing permissions, something
 * else in the place of our files. `null` for any other error, which is a broken promise of our own.
 */
export function storageMessage(error: unknown): string | null {
  const message = messageOf(error);
  return message === null ? null : withoutFolders(message);
}

function messageOf(error: unknown): string | null {
  if (error instanceof GitError || error instanceof LockFileError) return error.message;
  const code = errnoOf(error);
  if (!(error instanceof Error) || code === undefined) return null;
  if (SQLITE.test(code)) return `The index or lock in .waymark cannot be used: ${error.message}`;
  return SYSTEM.test(code) ? error.message : null;
}

/** Whoever calls over the network is told too, and where the record lies is the machine's: of a path two segments stay. */
function withoutFolders(message: string): string {
  return message.replace(/(^|[\s'"(=])\/(?:[^\s'":/]+\/)*([^\s'":/]+\/[^\s'":/]+)/g, '$1…/$2');
}

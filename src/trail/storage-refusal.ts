import { type Refusal, refuse } from '../record/outcome.ts';
import { storageMessage } from '../store/storage-error.ts';

/** The refusal for an error of disk, git or permissions; any other error is thrown on. */
export function storageRefusal(error: unknown): Refusal {
  const message = storageMessage(error);
  if (message === null) throw error;
  return refuse('storage', message, {
    next: 'Make .waymark and .git readable and writable, free space, move aside what is in their place, then call again',
  });
}

/** What a caller of the writer is told when nothing was saved. */
import { type Refusal, refuse } from '../record/outcome.ts';

export function busyLock(holder: string): Refusal {
  return refuse('busy', `The record is being written by ${holder}`, {
    next: 'Nothing was saved. Call again in a few seconds',
  });
}

export const MEND =
  'Nothing was saved. Mend what it names, or the repository ("git fsck", free space, permissions), then call again';

export function unreadable(message: string): Refusal {
  return refuse('storage', `The record could not be read: ${message}`, { next: MEND });
}

/** The branch may have moved before the error. */
export function uncertain(message: string): Refusal {
  return refuse('storage', `It is not known whether this was saved: ${message}`, {
    next: 'Mend the repository ("git fsck", free space, permissions); the next write finishes what was begun, so look for it with recall before you call again',
  });
}

export const BUSY_INDEX: Refusal = refuse(
  'busy',
  'busy: indexing. The index is being brought in step with the branch',
  {
    next: 'Nothing was saved. Call again in a few seconds; "waymark status" shows how far it is',
  },
);

export const MOVED: Refusal = refuse('busy', 'The branch kept moving while this was being saved', {
  next: 'Nothing was saved. Call again; something else commits to the record very often',
});

/** Commits made beside jj leave it with stray heads (design.md, "jujutsu store"). */
export const JUJUTSU: Refusal = refuse('repository', 'The record became a Jujutsu repository while it was open', {
  next: 'Nothing was saved. Start this program again, so that it writes with jj',
});

/** `where` says what is checked out; `back` is the command that brings the record back. */
export function wrongBranch(where: string, { branch, back }: { readonly branch: string; readonly back: string }) {
  return refuse('wrong_branch', `${where}, and the record is branch "${branch}"`, {
    next: `Run ${back} in the record, then call again; reading goes on meanwhile`,
  });
}

export const CONFLICTED: Refusal = refuse('repository', 'The record is a conflicted commit', {
  next: 'Nothing was saved. Resolve the conflict, then call again; reading goes on from the last good commit',
});

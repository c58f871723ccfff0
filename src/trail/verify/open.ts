/** Opens a record to be looked at: no index, no lock, no pin is made, and another owner is a finding, not a refusal. */
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../../config/index.ts';
import { PinError, pinnedAt } from '../../ledger/index.ts';
import { type Outcome, ok, refuse } from '../../record/outcome.ts';
import { openGitStore } from '../../store/git/index.ts';
import { DEFAULT_BRANCH, type Located } from '../locate.ts';
import { pinFile } from '../open.ts';
import type { VerifySubject } from '../verify.ts';

export interface OpenedSubject extends VerifySubject {
  close(): Promise<void>;
}

/** Who owns it is what this machine has seen at the path, or, where it has not been before, what config.yaml says. */
export async function openToVerify(
  located: Located,
  { environment, now }: { readonly environment: Environment; readonly now: () => number },
): Promise<Outcome<OpenedSubject>> {
  const file = pinFile(environment);
  const root = realpathSync(located.root);
  let known: { readonly id: string; readonly owner: string; readonly branch?: string | undefined };
  try {
    known = pinnedAt({ file, root }) ?? located.waymark;
  } catch (error) {
    if (!(error instanceof PinError)) throw error;
    return refuse('repository', error.message, { next: `Mend or remove the pin file "${file}"` });
  }
  const { id, owner, branch = located.waymark.branch ?? DEFAULT_BRANCH } = known;
  // Where jj is too: it writes, and git reads.
  const store = await openGitStore({ root, branch });
  if (!store.ok) return store;
  return ok({
    repository: { root, store: store.value, trust: { repositoryId: id, owner } },
    seenFolder: join(environment.stateDir, id),
    now,
    close: () => store.value.close(),
  });
}

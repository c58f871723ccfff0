/** FAVA's `sync`. This version writes to the local repository alone and says how people share it. */
import { type Outcome, ok } from '../record/outcome.ts';
import { parseScope } from '../record/scope.ts';
import type { TrailContext } from './context.ts';
import type { ScopeInput, SyncResult } from './types.ts';

/** By what keeps the record: HEAD is on no branch where jj is, so git does not pull there. */
const SHARED_BY = {
  git: '"git pull" and "git push" of the record\'s branch',
  jujutsu: '"jj git fetch" and "jj git push" of the record\'s bookmark',
} as const;

export async function sync({ repository }: TrailContext, input: ScopeInput): Promise<Outcome<SyncResult>> {
  const scope = parseScope(input.trail_name);
  if (!scope.ok) return scope;
  const message =
    'This version keeps the record local: nothing was fetched or sent, and saves are already durable here. A person ' +
    `shares it meanwhile: ${SHARED_BY[repository.store.kind]}, while nobody writes.`;
  return ok({ status: 'not_configured', message });
}

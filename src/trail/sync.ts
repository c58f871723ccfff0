/** FAVA's `sync`. This version writes to the local repository alone and says how people share it. */
import { type Outcome, ok } from '../record/outcome.ts';
import { parseScope } from '../record/scope.ts';
import type { TrailContext } from './context.ts';
import type { ScopeInput, SyncResult } from './types.ts';

const MESSAGE =
  'This version keeps the record local: nothing was fetched or sent, and saves are already durable here. A person ' +
  'shares it with git meanwhile: "git pull" and "git push" of the record\'s branch, while nobody writes.';

export async function sync(_context: TrailContext, input: ScopeInput): Promise<Outcome<SyncResult>> {
  const scope = parseScope(input.trail_name);
  return scope.ok ? ok({ status: 'not_configured', message: MESSAGE }) : scope;
}

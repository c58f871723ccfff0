/** Lists the scopes in which the caller can see at least one thought. */
import { type Outcome, ok } from '../record/outcome.ts';
import type { Principal } from '../record/principal.ts';
import { stripSlashes } from '../record/scope.ts';
import { classesOf, type View } from '../record/visibility.ts';
import type { Index } from '../store/index/index.ts';
import type { TrailContext } from './context.ts';
import type { ListScopesInput, ListScopesResult } from './types.ts';

export async function listScopes(context: TrailContext, input: ListScopesInput): Promise<Outcome<ListScopesResult>> {
  const { principal, repository } = context;
  const prefix = stripSlashes(input.prefix ?? '');
  const { value, state } = await repository.read((index) =>
    index
      .scopes()
      .filter(({ path }) => prefix === '' || path === prefix || path.startsWith(`${prefix}/`))
      .filter((scope) => scope.governed > 0 || holdsVisible(index, scope.path, principal))
      .map(({ path, governed }) => ({ path, ...(input.include_stats ? { thought_count: governed } : {}) })),
  );
  const scopes = [...value].sort((a, b) => (a.path < b.path ? -1 : 1));
  return ok({ status: 'ok', count: scopes.length, scopes, ...(state === undefined ? {} : { index: state }) });
}

/** A scope that holds only what the caller must not see is as if it did not exist. */
function holdsVisible(index: Index, scope: string, principal: Principal): boolean {
  const view: View = principal.role === 'operator' ? 'history' : 'authoring';
  const filters = view === 'history' ? {} : { agent_id: principal.agent_id };
  const query = { scopes: [scope], classes: classesOf(view), tokens: [], filters, order: 'newest' as const, limit: 1 };
  return index.recall(query).hits.length > 0;
}

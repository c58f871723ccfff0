/** Lists the scopes in which the caller can see at least one thought. */
import { type Outcome, ok } from '../record/outcome.ts';
import type { Principal } from '../record/principal.ts';
import { classesOf, isVisible, readableScopes, type View } from '../record/visibility.ts';
import type { Index } from '../store/index/index.ts';
import type { TrailContext } from './context.ts';
import type { ListScopesInput, ListScopesResult } from './types.ts';

export async function listScopes(context: TrailContext, input: ListScopesInput): Promise<Outcome<ListScopesResult>> {
  const { principal, repository } = context;
  const prefix = (input.prefix ?? '').replace(/^\/|\/$/g, '');
  const { value, state } = await repository.read((index) =>
    readableScopes(index.scopes(), principal)
      .filter(({ scope }) => prefix === '' || scope === prefix || scope.startsWith(`${prefix}/`))
      .filter(({ scope, governed }) => governed > 0 || holdsVisible(index, scope, principal))
      .map(({ scope: path, governed }) => ({ path, ...(input.include_stats ? { thought_count: governed } : {}) })),
  );
  const scopes = value;
  return ok({ status: 'ok', count: scopes.length, scopes, ...(state === undefined ? {} : { index: state }) });
}

/** A scope that holds only what the caller must not see is as if it did not exist. */
function holdsVisible(index: Index, scope: string, principal: Principal): boolean {
  const view: View = principal.role === 'operator' ? 'history' : 'authoring';
  const filters = view === 'history' ? {} : { agent_id: principal.agent_id };
  const query = { scopes: [scope], classes: classesOf(view), tokens: [], filters, order: 'newest' as const, limit: 1 };
  // The key range and the author only find a candidate; this is the decision itself.
  return index.recall(query).hits.some((hit) => isVisible(hit.facts, { principal, view }));
}

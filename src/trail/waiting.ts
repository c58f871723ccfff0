/** What waits for a person, and for how long: a queue that nobody sees grow is one that nobody drains. */
import { isGranted, mayDecideIn } from '../record/grants.ts';
import type { Principal } from '../record/principal.ts';
import type { Index, Waiting } from '../store/index/index.ts';

export const DAY_MS = 24 * 60 * 60 * 1000;
/** After this long a proposal is overdue. */
const OVERDUE_MS = 7 * DAY_MS;

/** In all these scopes; `older` are those that wait longer than seven days. Exact to 1,000 a scope. */
export function waitingIn(
  index: Index,
  { scopes, now }: { readonly scopes: readonly string[]; readonly now: number },
): Waiting {
  const found = scopes.map((scope) => index.waiting({ scope, before: now - OVERDUE_MS }));
  const since = found.flatMap((waiting) => waiting.since ?? []);
  return {
    count: found.reduce((sum, { count }) => sum + count, 0),
    since: since.length === 0 ? null : Math.min(...since),
    older: found.reduce((sum, { older }) => sum + older, 0),
  };
}

/** In all scopes where the caller may decide. */
export function waitingFor(
  index: Index,
  { principal, now }: { readonly principal: Principal; readonly now: number },
): Waiting {
  const scopes = index.scopes().flatMap(({ scope }) => (mayDecideIn(principal, scope) ? [scope] : []));
  return waitingIn(index, { scopes, now });
}

/** What a caller may know of one scope: who may decide there, of everybody's proposals; who reads there, of its own. */
export function waitingHere(
  index: Index,
  { scope, principal }: { readonly scope: string; readonly principal: Principal },
): Omit<Waiting, 'older'> {
  const mayDecide = mayDecideIn(principal, scope);
  if (!mayDecide && !isGranted(principal, 'read', scope)) return { count: 0, since: null };
  const of = mayDecide ? {} : { agent_id: principal.agent_id };
  return index.waiting({ scope, ...of });
}

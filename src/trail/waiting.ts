/** What waits for a person, and for how long: a queue that nobody sees grow is one that nobody drains. */
import { mayDecideIn } from '../record/grants.ts';
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

/** What a caller may know of one scope: its own proposals; who may decide there, everybody's. */
export function waitingHere(
  index: Index,
  { scope, principal }: { readonly scope: string; readonly principal: Principal },
): Omit<Waiting, 'older'> {
  const of = mayDecideIn(principal, scope) ? {} : { agent_id: principal.agent_id };
  return index.waiting({ scope, ...of });
}

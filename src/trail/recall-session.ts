/** What a session of work in one scope begins with, in one short answer (docs/retrieval.md, "Session start"). */
import { tokensOf } from '../record/matching.ts';
import { type Outcome, ok, type Refusal, refuse } from '../record/outcome.ts';
import { lineOf } from '../record/preview.ts';
import type { Principal } from '../record/principal.ts';
import { parseScope } from '../record/scope.ts';
import { classesOf, isVisible, readableScopes } from '../record/visibility.ts';
import type { Index } from '../store/index/index.ts';
import type { RecallFilters } from '../store/index/types.ts';
import type { TrailContext } from './context.ts';
import type { RecallInput, SessionEntry, SessionGroup, SessionStart } from './types.ts';
import { waitingHere } from './waiting.ts';

/** Thoughts of a group. */
const SHOWN = 2;

/** FAVA's queries for the start of a session (fava.md 2.5), and the preferences. */
const GROUPS: readonly { readonly name: SessionGroup; readonly query: string; readonly filters: RecallFilters }[] = [
  { name: 'status', query: 'status', filters: {} },
  { name: 'decisions', query: 'decision', filters: {} },
  { name: 'gotchas', query: 'gotcha', filters: {} },
  { name: 'preferences', query: '', filters: { namespace: 'preferences' } },
];

export async function recallSession(
  context: TrailContext,
  input: Omit<RecallInput, 'order'>,
): Promise<Outcome<SessionStart>> {
  const { principal, repository } = context;
  const refusal = checkAlone(input);
  if (refusal !== null) return refusal;
  const scope = parseScope(input.trail_name ?? '');
  if (!scope.ok) return scope;
  const { value, state } = await repository.read((index) => ({
    session: sessionOf(index, { scope: scope.value, principal }),
    own_drafts: ownDrafts(index, { scope: scope.value, principal }),
    ...proposalsIn(index, { scope: scope.value, principal }),
  }));
  return ok({ status: 'ok', ...value, ...(state === undefined ? {} : { index: state }) });
}

/** The answer depends on scope and caller alone; an argument that changes nothing would mislead. */
function checkAlone({ trail_name: _, query, ...others }: Omit<RecallInput, 'order'>): Refusal | null {
  const asked = { ...others, query: query?.trim() === '' ? undefined : query };
  const field = Object.entries(asked).find(([, value]) => value !== undefined)?.[0];
  if (field === undefined) return null;
  return refuse('invalid', `"${field}" does not go with order "session", which takes "trail_name" alone`, {
    field,
    next: `Leave "${field}" out, or choose another "order"`,
  });
}

interface Reader {
  readonly scope: string;
  readonly principal: Principal;
}

function sessionOf(index: Index, { scope, principal }: Reader): SessionStart['session'] {
  const shown = new Set<string>();
  const groups: Record<SessionGroup, readonly SessionEntry[]> = {
    status: [],
    decisions: [],
    gotchas: [],
    preferences: [],
  };
  for (const { name, query, filters } of GROUPS) {
    const { hits } = index.recall({
      scopes: scopesFor({ scope, principal }),
      classes: classesOf('governed'),
      tokens: tokensOf(query),
      filters,
      order: 'newest',
      // As many more as earlier groups may have taken.
      limit: SHOWN + shown.size,
    });
    const fresh = hits
      .filter(
        ({ facts, thought }) => isVisible(facts, { principal, view: 'governed' }) && !shown.has(thought.thought_id),
      )
      .slice(0, SHOWN);
    groups[name] = fresh.map(({ thought }) => ({ thought_id: thought.thought_id, preview: lineOf(thought.body) }));
    for (const { thought } of fresh) shown.add(thought.thought_id);
  }
  return groups;
}

function proposalsIn(index: Index, reader: Reader): Pick<SessionStart, 'proposals' | 'oldest_proposal'> {
  const { count, since } = waitingHere(index, reader);
  return { proposals: count, ...(since === null ? {} : { oldest_proposal: new Date(since).toISOString() }) };
}

/** Exact to 1,000. */
function ownDrafts(index: Index, reader: Reader): number {
  const filters = { statuses: ['draft' as const], agent_id: reader.principal.agent_id };
  const query = { scopes: scopesFor(reader), classes: classesOf('authoring'), tokens: [], filters };
  const { total } = index.recall({ ...query, order: 'newest', limit: 0 });
  return 'exact' in total ? total.exact : total.at_least;
}

/** None where the caller does not read. */
function scopesFor({ scope, principal }: Reader): readonly string[] {
  return readableScopes([{ scope }], principal).map((readable) => readable.scope);
}

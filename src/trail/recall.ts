/** Finds thoughts: one ranked list over the scopes asked, of what the caller may see and nothing else. */
import { excerptOf } from '../record/excerpt.ts';
import { checkText, LIMITS } from '../record/limits.ts';
import { tokensOf } from '../record/matching.ts';
import { type Outcome, ok, type Refusal, refuse } from '../record/outcome.ts';
import type { Principal } from '../record/principal.ts';
import { expandScopes, parseScope } from '../record/scope.ts';
import { classesOf, isVisible, readableScopes, type View } from '../record/visibility.ts';
import type { Index } from '../store/index/index.ts';
import type { RecallFilters, RecallHit, RecallPage } from '../store/index/types.ts';
import { hidesWithdrawn, parseMoments, type Reading, readAsKnown } from './as-known.ts';
import type { TrailContext } from './context.ts';
import { checkView } from './guard.ts';
import { type PagePosition, readCursor, writeCursor } from './recall-cursor.ts';
import type { RecallInput, RecallResult, ThoughtSummary } from './types.ts';
import { checkStatuses } from './view-arguments.ts';

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;
/** Characters of one body with `full`; a longer one is cut and says so. */
const FULL_BODY_CHARACTERS = 16 * 1024;
/** Characters of a whole page: clients choke on more. The page ends early and the cursor goes on. */
const PAGE_CHARACTERS = 48 * 1024;
const CHARACTERS_PER_TOKEN = 4;

export async function recall(context: TrailContext, input: RecallInput): Promise<Outcome<RecallResult>> {
  const { principal } = context;
  const view: View = input.mode ?? 'governed';
  const scope = input.trail_name === undefined ? ok(null) : parseScope(input.trail_name);
  if (!scope.ok) return scope;
  const refusal = checkView(view, principal) ?? checkStatuses(input) ?? checkQuery(input);
  if (refusal !== null) return refusal;
  const limit = input.limit ?? DEFAULT_LIMIT;
  const moments = parseMoments(input);
  if (!moments.ok) return moments;
  const { validAt } = moments.value;
  const request = { input, view, principal };
  const after = readCursor(input.cursor, request);
  if (!after.ok) return after;
  const names = [...(scope.value === null ? [] : [scope.value]), ...(input.trail_names ?? [])];
  const asked = { moments: moments.value, view, scopes: names };
  const read = await readAsKnown(context, asked, (reading) => {
    const { index } = reading;
    const isForeign = view === 'authoring' && input.author !== undefined && input.author !== principal.agent_id;
    const scopes = isForeign ? [] : scopesOf(index, { names, principal });
    const page = index.recall({
      scopes,
      classes: classesOf(view),
      tokens: tokensOf(input.query ?? ''),
      filters: {
        ...filtersOf(input, view === 'authoring' ? principal.agent_id : input.author),
        ...(validAt === undefined ? {} : { valid_at: validAt }),
        ...(hidesWithdrawn(context, moments.value) ? { stands: true as const } : {}),
      },
      order: input.order ?? 'relevance',
      // One more than asked tells whether there is a next page.
      limit: limit + 1,
      ...(after.value === null ? {} : { after: after.value.position }),
    });
    // The key ranges already hold only what the view may contain; this is the decision itself.
    const hits = page.hits
      .slice(0, limit)
      .filter((hit) => isVisible(hit.facts, { principal, view }) && reading.mayShow(hit));
    const cut = fitPage(hits, input, reading);
    const related = input.include_relationships ? relatedTo(reading, cut.hits, { scopes, view, principal }) : undefined;
    return { page, ...cut, related, head: headFor(index, principal), lost: reading.lost };
  });
  if (!read.ok) return read;
  const { value, state } = read.value;
  const { page, hits, thoughts, related, head, lost } = value;
  const last = hits.at(-1);
  const hasMore = last !== undefined && hits.length < page.hits.length;
  const isCut = hits.length < Math.min(limit, page.hits.length);
  const notes = notesOf({ page, head, isCut, position: after.value, lost });
  return ok({
    status: 'ok',
    count: thoughts.length,
    total: 'exact' in page.total ? page.total.exact : page.total,
    thoughts,
    ...(related === undefined ? {} : { related }),
    ...(hasMore ? { cursor: writeCursor({ position: last.cursor, head }, request) } : {}),
    ...(notes.length > 0 ? { notes } : {}),
    ...(state === undefined ? {} : { index: state }),
    filters: shownFilters(input, view),
  });
}

function checkQuery(input: RecallInput): Refusal | null {
  const limit = input.limit ?? DEFAULT_LIMIT;
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
    return refuse('invalid', `"limit" is ${limit}: 1 to ${MAX_LIMIT} are allowed`, {
      field: 'limit',
      next: 'Ask for fewer and follow "cursor"',
    });
  }
  const names = input.trail_names?.length ?? 0;
  if (names > LIMITS.trailNames) {
    return refuse('invalid', `"trail_names" has ${names} entries, the limit is ${LIMITS.trailNames}`, {
      field: 'trail_names',
      next: 'Use a glob such as "acme/**"',
    });
  }
  const query = input.query ?? '';
  const tokens = tokensOf(query).length;
  if (tokens > LIMITS.queryTokens) {
    return refuse('invalid', `"query" has ${tokens} words, the limit is ${LIMITS.queryTokens}`, {
      field: 'query',
      next: 'Use the few words that tell the thought apart',
    });
  }
  return checkText(query, { field: 'query', bytes: LIMITS.queryBytes });
}

interface Asked {
  readonly names: readonly string[];
  readonly principal: Principal;
}

/** Every scope that the names and globs match and the caller reads in. A scope that does not exist holds nothing. */
function scopesOf(index: Index, { names, principal }: Asked): readonly string[] {
  const existing = readableScopes(index.scopes(), principal).map((known) => known.scope);
  return expandScopes(names, existing);
}

/** The commit would tell whoever has grants of changes in scopes they do not read. */
function headFor(index: Index, { grants }: Principal): string | null {
  return grants === undefined ? index.indexedCommit() : null;
}

function filtersOf(input: RecallInput, author: string | undefined): RecallFilters {
  const { project, branch, tags } = input.scope ?? {};
  return {
    ...(input.namespace === undefined ? {} : { namespace: input.namespace }),
    ...(project === undefined ? {} : { project }),
    ...(branch === undefined ? {} : { branch }),
    ...(tags === undefined ? {} : { tags }),
    ...(input.statuses === undefined ? {} : { statuses: input.statuses }),
    ...(input.source_type === undefined ? {} : { source_type: input.source_type }),
    ...(input.min_confidence === undefined ? {} : { min_confidence: input.min_confidence }),
    ...(author === undefined ? {} : { agent_id: author }),
    ...(input.mode === 'history' && input.include_superseded !== true ? { superseded: false } : {}),
  };
}

/** Cuts the page at the size asked or allowed; the first thought is always given. */
function fitPage(
  hits: readonly RecallHit[],
  input: RecallInput,
  { show }: Reading,
): { hits: RecallHit[]; thoughts: ThoughtSummary[] } {
  const asked = input.max_tokens === undefined ? Infinity : input.max_tokens * CHARACTERS_PER_TOKEN;
  let room = Math.min(asked, PAGE_CHARACTERS);
  const fitting: RecallHit[] = [];
  const thoughts: ThoughtSummary[] = [];
  const tokens = tokensOf(input.query ?? '');
  for (const hit of hits) {
    const shown = show(hit, input.full ? { bodyCap: FULL_BODY_CHARACTERS } : {});
    const summary = input.excerpts ? { ...shown, excerpt: excerptOf(hit.thought.body, tokens) } : shown;
    room -= JSON.stringify(summary).length;
    if (room < 0 && fitting.length > 0) break;
    fitting.push(hit);
    thoughts.push(summary);
  }
  return { hits: fitting, thoughts };
}

interface Reach {
  readonly scopes: readonly string[];
  readonly view: View;
  readonly principal: TrailContext['principal'];
}

/** One hop along the page's relationships, within the scopes asked and the same view; never part of the page itself. */
function relatedTo(reading: Reading, hits: readonly RecallHit[], reach: Reach): readonly ThoughtSummary[] {
  const { index, mayShow, show } = reading;
  const onPage = new Set(hits.map((hit) => hit.thought.thought_id));
  const targets = new Set(hits.flatMap((hit) => hit.thought.relationships.map((to) => to.target_id)));
  return [...targets]
    .filter((id) => !onPage.has(id))
    .flatMap((id) => index.thoughtById(id))
    .filter((row) => reach.scopes.includes(row.scope) && isVisible(row.facts, reach) && mayShow(row))
    .slice(0, MAX_LIMIT)
    .map((row) => show(row));
}

interface PageFacts {
  readonly page: RecallPage;
  readonly head: string | null;
  readonly isCut: boolean;
  readonly position: PagePosition | null;
  readonly lost: number;
}

function notesOf({ page, head, isCut, position, lost }: PageFacts): readonly string[] {
  return [
    ...(page.tooCommon ? ['More than 2,000 thoughts match: the order is newest first; add words to rank'] : []),
    ...(isCut ? ['The page was cut at its size limit; follow "cursor" for the rest'] : []),
    ...(lost > 0
      ? [`Of ${lost} thoughts in all scopes this clone lacks the text of then: fetch the whole history`]
      : []),
    ...(position !== null && position.head !== head ? ['The record changed since the first page'] : []),
  ];
}

function shownFilters(input: RecallInput, view: View): RecallResult['filters'] {
  return {
    mode: view,
    ...(input.statuses === undefined ? {} : { statuses: input.statuses }),
    query: input.query ?? '',
    ...(input.namespace === undefined ? {} : { namespace: input.namespace }),
    include_superseded: input.include_superseded ?? false,
    include_relationships: input.include_relationships ?? false,
    ...(input.valid_at === undefined ? {} : { valid_at: input.valid_at }),
    ...(input.known_at === undefined ? {} : { known_at: input.known_at }),
  };
}

/** What waits for a person's decision. */
import { claimDigest, claimOf } from '../record/claim.ts';
import { QUARANTINED } from '../record/lifecycle.ts';
import { type Outcome, ok } from '../record/outcome.ts';
import { expandScopes, parseScope } from '../record/scope.ts';
import type { JsonObject } from '../record/thought.ts';
import { isVisible, VISIBILITY_CLASSES } from '../record/visibility.ts';
import type { Index } from '../store/index/index.ts';
import type { RecallCursor, StoredThought } from '../store/index/types.ts';
import type { TrailContext } from './context.ts';
import { findThought } from './find-thought.ts';
import { checkOperator } from './guard.ts';
import { legacyPredecessor } from './legacy-predecessor.ts';
import { quarantined } from './quarantined.ts';
import { summarizeStored } from './summary.ts';
import type { ThoughtSummary } from './types.ts';

export interface QueueEntry extends ThoughtSummary {
  /** Its scope. */
  readonly source_trail: string;
  /** ISO 8601; when it was put forward. */
  readonly proposed_at: string;
}

export interface QueueInput {
  /** A scope or a glob; absent: every scope. */
  readonly scope?: string;
}

/** One proposal, whole, as it is now. */
export interface Proposal {
  readonly entry: QueueEntry;
  readonly body: string;
  /** Every other field a decision is about. */
  readonly fields: JsonObject;
  /** Digest of body and fields; sent with the decision. */
  readonly claim: string;
  /** What it would replace; `null` when it replaces nothing, or what it names is not here. */
  readonly predecessor: Predecessor | null;
}

export interface Predecessor {
  readonly thought_id: string;
  readonly scope: string;
  readonly body: string;
}

type Caller = Pick<TrailContext, 'repository' | 'principal'>;

const PAGE = 500;

/** Proposals that can be decided and what is in quarantine, the longest waiting first. Needs an operator. */
export async function queue(caller: Caller, input: QueueInput = {}): Promise<Outcome<readonly QueueEntry[]>> {
  const { repository, principal } = caller;
  const refusal = checkOperator('The review queue', principal);
  if (refusal !== null) return refusal;
  const pattern = input.scope ?? '**';
  const scope = pattern.includes('*') ? ok(pattern) : parseScope(pattern, 'scope');
  if (!scope.ok) return scope;
  const { value } = await repository.read((index) => {
    const scopes = expandScopes(
      [scope.value],
      index.scopes().map((known) => known.scope),
    );
    const entries: QueueEntry[] = [];
    for (const row of [...proposed(index, scopes), ...quarantined(index, scopes)]) {
      if (isVisible(row.facts, { principal, view: 'history' })) entries.push(entryOf(index, row));
    }
    return entries;
  });
  return ok(value.sort((a, b) => compare(a.proposed_at, b.proposed_at) || compare(a.thought_id, b.thought_id)));
}

/** One proposal by scope and id, `null` when it is no longer proposed. */
export async function proposal(
  caller: Caller,
  input: { readonly scope: string; readonly thought_id: string },
): Promise<Outcome<Proposal | null>> {
  const { repository, principal } = caller;
  const refusal = checkOperator('The review queue', principal);
  if (refusal !== null) return refusal;
  const { value } = await repository.read((index): Outcome<Proposal | null> => {
    const options = { principal, views: ['history' as const], scope: input.scope };
    const found = findThought(index, input.thought_id, options);
    if (!found.ok) return found;
    const row = found.value;
    if (row.thought.validation_status !== 'proposed' && row.reason !== QUARANTINED) return ok(null);
    const { body: _, ...fields } = claimOf(row.thought);
    return ok({
      entry: entryOf(index, row),
      body: row.thought.body,
      fields,
      claim: claimDigest(row.thought),
      predecessor: predecessorOf(index, row, caller),
    });
  });
  return value;
}

/** Newest first. A proposal the ledger does not back cannot be decided; `status` names it. */
function* proposed(index: Index, scopes: readonly string[]): Generator<StoredThought> {
  const query = {
    scopes,
    classes: [VISIBILITY_CLASSES.authored],
    tokens: [],
    filters: { statuses: ['proposed' as const] },
    order: 'newest' as const,
    limit: PAGE,
  };
  let after: RecallCursor | undefined;
  do {
    const { hits } = index.recall({ ...query, ...(after === undefined ? {} : { after }) });
    yield* hits;
    after = hits.length < PAGE ? undefined : hits.at(-1)?.cursor;
  } while (after !== undefined);
}

function entryOf(index: Index, row: StoredThought): QueueEntry {
  const event = row.event === undefined ? null : index.eventByHash(row.event);
  const at = event?.envelope.record.timestamp ?? Date.parse(row.thought.created_at);
  const summary = summarizeStored(row, { withClaim: true });
  return { ...summary, source_trail: row.scope, proposed_at: new Date(at).toISOString() };
}

function predecessorOf(index: Index, row: StoredThought, { principal }: Caller): Predecessor | null {
  const { supersedes_id, supersedes_scope } = row.thought;
  const legacy = legacyPredecessor(index, row);
  const named = supersedes_id === undefined ? (legacy === null ? [] : [legacy]) : index.thoughtById(supersedes_id);
  const found = named
    .filter((other) => supersedes_scope === undefined || other.scope === supersedes_scope)
    .find((other) => isVisible(other.facts, { principal, view: 'history' }));
  if (found === undefined) return null;
  return { thought_id: found.thought.thought_id, scope: found.scope, body: found.thought.body };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Reads the record as it is, or as it was known at an earlier time: one path for both, and the rules of who may go back. */
import type { Hash } from '../ledger/types.ts';
import { isGranted } from '../record/grants.ts';
import { type Outcome, ok, type Refusal, refuse } from '../record/outcome.ts';
import { parseThoughtPath } from '../record/paths.ts';
import type { Principal } from '../record/principal.ts';
import { isKnownAt, parseInstant } from '../record/temporal.ts';
import { isEventVisible, mayReplay, readableScopes, type View } from '../record/visibility.ts';
import type { Index, ThoughtPlace } from '../store/index/index.ts';
import type { StoredThought } from '../store/index/types.ts';
import { LOST_TEXT } from '../store/past/build.ts';
import type { IndexLag } from '../store/repository.ts';
import type { TrailContext } from './context.ts';
import { settingsReader } from './settings.ts';
import { type SummaryOptions, summarizeStored } from './summary.ts';
import type { PresentStatus, ThoughtSummary } from './types.ts';

export interface Moments {
  /** Microseconds since 1970. */
  readonly validAt?: bigint;
  /** Unix milliseconds. */
  readonly knownAt?: number;
}

export interface Reading {
  /** Of the time asked about. */
  readonly index: Index;
  /** Thoughts of then whose text is not in this clone; operators alone are told. */
  readonly lost: number;
  /** Whether the caller may learn that it was there, beyond what the view says: always, of the present. */
  mayShow(place: Pick<ThoughtPlace, 'path' | 'facts'>): boolean;
  /** Whether the caller may learn of the event: then and, where going back hides what was withdrawn, now. */
  mayShowEvent(hash: Hash): boolean;
  /** The thought as results show it; of an earlier time with its present status. */
  show(row: StoredThought, options?: SummaryOptions): ThoughtSummary;
}

export interface AskedAt {
  readonly moments: Moments;
  readonly view: View;
  /** Scopes and globs asked about. */
  readonly scopes: readonly string[];
}

type Times = { readonly valid_at?: string | undefined; readonly known_at?: string | undefined };

export function parseMoments({ valid_at, known_at }: Times): Outcome<Moments> {
  const valid = valid_at === undefined ? null : parseInstant(valid_at, 'valid_at');
  if (valid?.ok === false) return valid;
  const known = known_at === undefined ? null : parseInstant(known_at, 'known_at');
  if (known?.ok === false) return known;
  return ok({
    ...(valid === null ? {} : { validAt: valid.value }),
    // Events are dated to the millisecond.
    ...(known === null ? {} : { knownAt: Math.floor(Number(known.value) / 1000) }),
  });
}

/** Whether going back hides from the caller what does not stand any more: an operator sees all that was. */
export function hidesWithdrawn({ principal }: TrailContext, { knownAt }: Moments): boolean {
  return knownAt !== undefined && principal.role !== 'operator';
}

export async function readAsKnown<T>(
  context: TrailContext,
  asked: AskedAt,
  read: (reading: Reading) => T,
): Promise<Outcome<{ readonly value: T; readonly state?: IndexLag }>> {
  const { repository } = context;
  const { knownAt } = asked.moments;
  if (knownAt === undefined) {
    const now = BigInt(repository.now()) * 1000n;
    const { principal } = context;
    const show: Reading['show'] = (row, options) => summarizeStored(row, { now, principal, ...options });
    const mayShowEvent = (index: Index) => (hash: Hash) => seesEvent(index, { hash, context });
    return ok(
      await repository.read((index) =>
        read({ index, lost: 0, mayShow: () => true, mayShowEvent: mayShowEvent(index), show }),
      ),
    );
  }
  const refusal = await checkKnownAt(context, knownAt, asked);
  if (refusal !== null) return refusal;
  context.report?.('Building the index of that time, if nobody did yet');
  const found = await repository.readPast(knownAt, (past, present) =>
    read(readingOf(context, { past, present, asked })),
  );
  if (found !== null) return ok(found);
  return refuse(
    'busy',
    'The index of that time is not built yet: the present one, or those of other times, come first',
    {
      next: 'Call again in a while',
    },
  );
}

function readingOf(
  context: TrailContext,
  { past, present, asked }: { readonly past: Index; readonly present: Index; readonly asked: AskedAt },
): Reading {
  const { principal } = context;
  const { knownAt = 0 } = asked.moments;
  return {
    index: past,
    lost: principal.role === 'operator' ? lostTexts(past, principal) : 0,
    mayShow: ({ path, facts: then }) => {
      if (!hidesWithdrawn(context, asked.moments)) return true;
      const id = parseThoughtPath(path)?.id ?? '';
      return mayReplay({ then, now: present.thoughtById(id).map(({ facts }) => facts) }, principal);
    },
    mayShowEvent: (hash) =>
      seesEvent(past, { hash, context }) &&
      (!hidesWithdrawn(context, asked.moments) || seesEvent(present, { hash, context })),
    show: (row, options) => ({
      ...summarizeStored(row, { now: BigInt(knownAt) * 1000n, principal, ...options }),
      present_status: presentStatus(present, row.thought.thought_id, principal),
    }),
  };
}

function seesEvent(index: Index, { hash, context }: { readonly hash: Hash; readonly context: TrailContext }): boolean {
  const mention = index.mentionOf(hash);
  return mention !== null && isEventVisible(mention, context.principal);
}

function lostTexts(past: Index, principal: Principal): number {
  const lost = past.problems().filter(({ code }) => code === LOST_TEXT);
  return readableScopes(
    lost.flatMap(({ path }) => parseThoughtPath(path) ?? []),
    principal,
  ).length;
}

function presentStatus(present: Index, id: string, principal: Principal): PresentStatus {
  const rows = readableScopes(present.thoughtById(id), principal);
  const row = rows.find(({ held }) => held);
  if (row === undefined) return rows.length === 0 ? 'absent' : 'unverified';
  if (row.superseded) return 'superseded';
  const status = row.thought.validation_status;
  const isErased = status === 'tombstoned' && present.eventsOfThought(id).some(isErasure);
  return isErased ? 'erased' : status;
}

function isErasure({ valid, envelope }: ReturnType<Index['eventsOfThought']>[number]): boolean {
  return valid && envelope._local?.verb === 'erase';
}

/** What the record knew is an operator's to ask, but where a scope's settings open it for what agents saw then anyway. */
async function checkKnownAt(context: TrailContext, knownAt: number, asked: AskedAt): Promise<Refusal | null> {
  const { principal, repository } = context;
  const field = 'known_at';
  if (!isKnownAt(knownAt, repository.now())) {
    const message = '"known_at" is in the future: what will be known then is not known yet';
    return refuse('invalid', message, { field, next: 'Send a time that has passed, or leave "known_at" out' });
  }
  if (principal.role === 'operator') return null;
  const rule = 'known_at_needs_operator';
  if (asked.view !== 'governed') {
    const message = 'Together with a mode, "known_at" needs an operator, and this process is an agent';
    return refuse('authority', message, { field, rule, next: 'Leave "mode" out, or ask an operator' });
  }
  const glob = asked.scopes.find((scope) => scope.includes('*'));
  if (glob !== undefined) {
    const message = '"known_at" takes scopes by their exact names only, unless an operator asks';
    return refuse('authority', message, { field, rule, next: 'Name each scope without "*"' });
  }
  const { value: closed } = await repository.read((index) => {
    const settings = settingsReader(index);
    // Whether one that is not read is open would tell that it is there.
    return asked.scopes.find((scope) => !isGranted(principal, 'read', scope) || settings.of(scope).known_at !== 'open');
  });
  if (closed === undefined) return null;
  return refuse('authority', `"known_at" needs an operator in scope "${closed}", and this process is an agent`, {
    field,
    rule,
    next: 'Leave "known_at" out, or ask an operator, who can also put "known_at: open" into the settings of the scope',
  });
}

/**
 * One thought by its id alone, with all that stands around it, of one snapshot. What the caller may not see is as if it
 * did not exist.
 */
import { encodeThought } from '../record/codec/index.ts';
import { withoutForeignScopes } from '../record/foreign-scopes.ts';
import { type Outcome, ok } from '../record/outcome.ts';
import { isValidAt, validityOf } from '../record/temporal.ts';
import type { Namespace } from '../record/thought.ts';
import { isVisible, type View } from '../record/visibility.ts';
import type { StoredThought } from '../store/index/types.ts';
import type { IndexLag } from '../store/repository.ts';
import { hidesWithdrawn, type Moments, parseMoments, type Reading, readAsKnown } from './as-known.ts';
import type { TrailContext } from './context.ts';
import { findThought, viewsOf } from './find-thought.ts';
import { type Lineage, lineageOf, type NamedThought, namedBy, naming } from './lineage.ts';
import { eventsOf, type VerifiedEvent } from './thought-events.ts';
import type { ThoughtSummary } from './types.ts';

export interface ThoughtPageInput {
  /** A whole id, or the beginning of one. */
  readonly thought_id: string;
  readonly valid_at?: string | undefined;
  readonly known_at?: string | undefined;
}

export interface ThoughtPage {
  /** With its whole text and its claim. */
  readonly thought: ThoughtSummary;
  readonly scope: string;
  readonly namespace: Namespace;
  /** An approved replacement exists. */
  readonly superseded: boolean;
  /** The caller may decide about it now. */
  readonly waitsForCaller: boolean;
  /** With `valid_at`: whether it was true then. */
  readonly wasValid?: boolean;
  readonly lineage: Lineage;
  readonly names: readonly NamedThought[];
  readonly namedBy: readonly NamedThought[];
  /** The newest 50, oldest first. */
  readonly events: readonly VerifiedEvent[];
  /** How many came before those. */
  readonly earlierEvents: number;
  readonly repositoryId: string;
  readonly index?: IndexLag;
}

/** Each costs a signature to verify; its author can rewrite a draft as often as they like. */
const EVENTS = 50;

const WHOLE = { bodyCap: Number.MAX_SAFE_INTEGER, withClaim: true } as const;

/** Code `not_found` for what is absent or withheld; `ambiguous` with `candidates` for a prefix of several. */
export async function thoughtPage(context: TrailContext, input: ThoughtPageInput): Promise<Outcome<ThoughtPage>> {
  const { principal, repository } = context;
  const moments = parseMoments(input);
  if (!moments.ok) return moments;
  const found = await readOne(context, { input, moments: moments.value }, (row, { reading, views }) => {
    const around = { reading, principal, views };
    const { validAt } = moments.value;
    return {
      thought: reading.show(row, WHOLE),
      scope: row.scope,
      namespace: row.namespace,
      superseded: row.superseded,
      waitsForCaller: isVisible(row.facts, { principal, view: 'review' }),
      ...(validAt === undefined ? {} : { wasValid: isValidAt(validityOf(row.thought.metadata.extra), validAt) }),
      lineage: lineageOf(row, around),
      names: namedBy(row, around),
      namedBy: naming(row, around),
      pending: eventsOf(row.thought.thought_id, around),
    };
  });
  if (!found.ok) return found;
  const { value, state } = found.value;
  const { pending, ...page } = value;
  const events = await Promise.all(pending.slice(-EVENTS).map((event) => event.verify(repository.now())));
  return ok({
    ...page,
    events,
    earlierEvents: pending.length - events.length,
    repositoryId: repository.trust.repositoryId,
    ...(state === undefined ? {} : { index: state }),
  });
}

/** Its file as it is committed, without the names of scopes that the caller's grants do not reach. */
export async function thoughtFile(
  context: TrailContext,
  input: ThoughtPageInput,
): Promise<Outcome<{ readonly thought_id: string; readonly bytes: Uint8Array }>> {
  const moments = parseMoments(input);
  if (!moments.ok) return moments;
  const found = await readOne(context, { input, moments: moments.value }, ({ blob, thought }) => ({ blob, thought }));
  if (!found.ok) return found;
  const { blob, thought } = found.value.value;
  const { thought_id } = thought;
  const shown = withoutForeignScopes(thought, context.principal);
  if (shown !== thought) return ok({ thought_id, bytes: Buffer.from(encodeThought(shown)) });
  return ok({ thought_id, bytes: await context.repository.store.readBlob(blob) });
}

interface Asked {
  readonly input: ThoughtPageInput;
  readonly moments: Moments;
}

type Read<T> = Outcome<{ readonly value: T; readonly state?: IndexLag }>;

async function readOne<T>(
  context: TrailContext,
  { input, moments }: Asked,
  read: (row: StoredThought, at: { readonly reading: Reading; readonly views: readonly View[] }) => T,
): Promise<Read<T>> {
  const { principal, repository } = context;
  const isHiding = hidesWithdrawn(context, moments);
  const present = [...viewsOf(principal), 'review' as const];
  const views = isHiding ? ['governed' as const] : present;
  const scopes: string[] = [];
  if (isHiding) {
    // Whether the past is open is a setting of its scope; what the caller does not see now it does not see then.
    const now = await repository.read((index) => findThought(index, input.thought_id, { principal, views: present }));
    if (!now.value.ok) return now.value;
    scopes.push(now.value.value.scope);
  }
  const asked = { moments, view: isHiding ? ('governed' as const) : ('lineage' as const), scopes };
  const found = await readAsKnown(context, asked, (reading): Outcome<T> => {
    const row = findThought(reading.index, input.thought_id, { principal, views, accepts: reading.mayShow });
    return row.ok ? ok(read(row.value, { reading, views })) : row;
  });
  if (!found.ok) return found;
  const { value, ...state } = found.value;
  return value.ok ? ok({ value: value.value, ...state }) : value;
}

/** Why is this so: the records that a record follows from, or those that follow from it, each verified. */
import type { Hash, Verb } from '../../ledger/types.ts';
import { grantNames } from '../../record/grants.ts';
import { type Outcome, ok, refuse } from '../../record/outcome.ts';
import type { Principal } from '../../record/principal.ts';
import { isEventVisible, isUnrestricted } from '../../record/visibility.ts';
import type { Index, IndexedEvent } from '../../store/index/index.ts';
import type { TrailContext } from '../context.ts';
import { findThought, viewsOf } from '../find-thought.ts';
import { checkTraceInput } from './check-input.ts';
import type { LazyMirrors } from './mirrors.ts';
import { ownLog } from './own-log.ts';
import { isHashPrefix, recordByPrefix } from './record-by-prefix.ts';
import type { RemoteRecords } from './remote/remote-records.ts';
import { renderEverywhere, walkEverywhere } from './remote/remote-trace.ts';
import type { TraceSource } from './source.ts';
import { inTurn, without } from './sources.ts';
import type { Tracer } from './tracer.ts';
import type { TraceInput, TraceResult } from './types.ts';

export interface TraceTools {
  /** One for a process or a session: it remembers what it verified and where walks stopped. */
  readonly tracer: Tracer;
  /** Records of other places. @default none */
  readonly mirrors?: LazyMirrors | undefined;
  /** Services to ask for what is not here. @default none */
  readonly remote?: RemoteRecords | undefined;
}

export async function trace(
  context: TrailContext,
  input: TraceInput,
  { tracer, mirrors, remote }: TraceTools,
): Promise<Outcome<TraceResult>> {
  const request = checkTraceInput(input, { takesThoughts: true });
  if (!request.ok) return request;
  const { principal, report } = context;
  report?.('Walking the records');
  const walkWith = async (elsewhere: TraceSource | undefined) => {
    const { value, state } = await askSources(context, elsewhere, (source, index) => {
      const page = tracer.walk({
        request: request.value,
        source,
        caller: callerOf(principal),
        resolve: () => startOf({ index, source, principal, field: 'record_hash' }, request.value.start),
      });
      return { page };
    });
    return { ...value, state };
  };
  const extended = await walkEverywhere({
    walk: (fetched) => askElsewhere(mirrors, fetched, walkWith),
    remote,
    depth: request.value.depth,
  });
  const { page, state } = extended.walked;
  if (!page.ok) return page;
  report?.('Verifying what was visited');
  const result = await renderEverywhere(tracer, { page: page.value, extended });
  return ok({ ...result, ...(state === undefined ? {} : { index: state }) });
}

/** Whoever may go on with a cursor: what a walk met depends on the grants. */
function callerOf(principal: Principal): string {
  const { via, role, agent_id } = principal;
  return JSON.stringify([via, role, agent_id, grantNames(principal)]);
}

/** Asks with the records of other places, `undefined` when there are none. */
export function askElsewhere<T>(
  mirrors: LazyMirrors | undefined,
  fetched: TraceSource | undefined,
  question: (elsewhere: TraceSource | undefined) => Promise<T>,
): Promise<T> {
  if (mirrors === undefined) return question(fetched);
  return mirrors.ask((source, { empty }) => {
    // Most machines have no mirror, which is nothing to warn of.
    const places = [...(empty ? [] : [source]), ...(fetched === undefined ? [] : [fetched])];
    return question(places.length > 1 ? inTurn(places) : places[0]);
  });
}

/** Asks all that the caller may see. `question` may be asked again when an index turns out to be damaged. */
export function askSources<T>(
  { repository, principal }: Pick<TrailContext, 'repository' | 'principal'>,
  elsewhere: TraceSource | undefined,
  question: (source: TraceSource, index: Index) => T,
): ReturnType<typeof repository.read<T>> {
  return repository.read((index) => question(sourceFor(index, { principal, elsewhere }), index));
}

/** What the caller may see of this record's log and of the mirrors. */
export function sourceFor(
  index: Index,
  { principal, elsewhere }: { readonly principal: Principal; readonly elsewhere?: TraceSource | undefined },
): TraceSource {
  const own = ownLog(index, principal);
  if (elsewhere === undefined) return own;
  if (isUnrestricted(principal)) return inTurn([own, elsewhere]);
  // The own log alone decides about its records: a mirror of them would show what is withheld.
  return inTurn([own, without(elsewhere, isOfLogs(index))]);
}

/** Whether a record is in this record's log, or states a place in a log known here by its key or its events. */
function isOfLogs(index: Index): (hash: Hash, statedLog: string | null) => boolean {
  const known = new Map<string, boolean>(index.keys().map(({ log }) => [log, true]));
  return (hash, log) => {
    if (log === null) return index.mentionOf(hash) !== null;
    const isKnown = known.get(log) ?? index.newestEventOf(log) !== null;
    known.set(log, isKnown);
    return isKnown;
  };
}

const DECISIONS: readonly Verb[] = ['approve', 'reject', 'request_changes', 'adopt', 'rollback'];

export interface StartPlace {
  readonly index: Index;
  readonly source: TraceSource;
  readonly principal: Principal;
  /** The argument that names it. */
  readonly field: string;
}

/**
 * A hash stands for itself, the beginning of one for the record that has it; a thought for its last decision, else for
 * the newest event that names it.
 */
export function startOf({ index, source, principal, field }: StartPlace, named: string): Outcome<Hash> {
  if (isHashPrefix(named)) return recordByPrefix(source, named, field);
  const thought = findThought(index, named, { principal, views: viewsOf(principal) });
  if (!thought.ok) return { ...thought, field, message: thought.message.replace('thought_id', field) };
  const { thought_id: id } = thought.value.thought;
  const events = index.eventsOfThought(id).filter(({ hash }) => isSeen(index, hash, principal));
  const start =
    events.findLast((event) => isDecision(event, id)) ?? events.findLast(({ valid }) => valid) ?? events.at(-1);
  if (start !== undefined) return ok(start.hash);
  return refuse('not_found', `No event about thought "${id}" is visible to you`, {
    field,
    next: 'Name a record hash, or run "waymark verify" to see what the record lacks',
  });
}

function isSeen(index: Index, hash: Hash, principal: Principal): boolean {
  const mention = index.mentionOf(hash);
  return mention !== null && isEventVisible(mention, principal);
}

/** The thought's own: a decision about its successor names it too. */
function isDecision({ valid, envelope: { _local: local } }: IndexedEvent, id: string): boolean {
  return valid && local?.thought_id === id && DECISIONS.includes(local.verb);
}

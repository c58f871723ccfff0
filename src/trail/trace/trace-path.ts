/** How one record is connected with another: the records on the shortest way between them. */
import type { Hash } from '../../ledger/types.ts';
import { type Outcome, ok } from '../../record/outcome.ts';
import type { TrailContext } from '../context.ts';
import { checkTraceInput, type TraceRequest } from './check-input.ts';
import { type PathSearch, shortestPath } from './path.ts';
import { recordByPrefix } from './record-by-prefix.ts';
import type { TraceSource } from './source.ts';
import { askSources, startOf, type TraceTools } from './trace.ts';
import type { MirrorTools } from './trace-mirrors.ts';
import type { Tracer, WalkedPage } from './tracer.ts';
import type { TraceInput, TraceResult } from './types.ts';
import type { LocalReason, Visit } from './walk.ts';

/** Links count in either direction. */
export interface TracePathInput extends Pick<TraceInput, 'record_hash' | 'follow' | 'include_content' | 'verify'> {
  /** As `record_hash`. */
  readonly path_to: string;
}

/** As a trace: `visited` are the records on the way, each the parent of the next. */
export interface TracePathResult extends TraceResult {
  readonly path_to: Hash;
  /** `none`: no way is visible to the caller. `gave_up`: too many records had to be looked at. */
  readonly path: 'found' | 'none' | 'gave_up';
  /** Records that were looked at. */
  readonly searched: number;
}

export async function tracePath(
  context: TrailContext,
  input: TracePathInput,
  { tracer, mirrors }: TraceTools,
): Promise<Outcome<TracePathResult>> {
  const request = checkPathInput(input, { takesThoughts: true });
  if (!request.ok) return request;
  const { principal } = context;
  const { value: found, state } = await askSources(context, mirrors, (source, index) =>
    findPath(request.value, { source, resolve: (named) => startOf({ index, source, principal }, named) }),
  );
  if (!found.ok) return found;
  return ok({ ...(await render(tracer, found.value)), ...(state === undefined ? {} : { index: state }) });
}

/** Over mirrors alone. */
export async function tracePathOfMirrors(
  input: TracePathInput,
  { tracer, mirrors }: MirrorTools,
): Promise<Outcome<TracePathResult>> {
  const request = checkPathInput(input, { takesThoughts: false });
  if (!request.ok) return request;
  const found = await mirrors.ask((source) =>
    findPath(request.value, { source, resolve: (named) => recordByPrefix(source, named) }),
  );
  return found.ok ? ok(await render(tracer, found.value)) : found;
}

interface PathRequest extends TraceRequest {
  readonly end: string;
}

function checkPathInput(
  { path_to, ...input }: TracePathInput,
  options: { readonly takesThoughts: boolean },
): Outcome<PathRequest> {
  const end = checkTraceInput({ record_hash: path_to }, options);
  if (!end.ok) return ofEnd(end);
  const request = checkTraceInput({ ...input, direction: 'both' }, options);
  return request.ok ? ok({ ...request.value, end: end.value.start }) : request;
}

function ofEnd<T>(outcome: Outcome<T>): Outcome<T> {
  if (outcome.ok || outcome.field !== 'record_hash') return outcome;
  return { ...outcome, field: 'path_to', message: outcome.message.replace('record_hash', 'path_to') };
}

interface FoundPath {
  readonly walked: WalkedPage;
  readonly end: Hash;
  readonly search: PathSearch;
}

interface PathPlace {
  readonly source: TraceSource;
  readonly resolve: (named: string) => Outcome<Hash>;
}

function findPath(request: PathRequest, { source, resolve }: PathPlace): Outcome<FoundPath> {
  const from = resolve(request.start);
  if (!from.ok) return from;
  const to = ofEnd(resolve(request.end));
  if (!to.ok) return to;
  const search = shortestPath(source, { from: from.value, to: to.value }, request);
  const path = typeof search.path === 'string' ? [] : search.path;
  const visits = path.flatMap((hash, at): readonly Visit[] => {
    const found = source.read(hash);
    if (found === null || found === 'unreadable') return [];
    return [
      {
        hash,
        depth: at,
        found,
        parents: new Set(path.slice(Math.max(0, at - 1), at)),
        next: path.slice(at + 1, at + 2),
        absent: new Set(),
      },
    ];
  });
  const dangling = absentEnds(source, [from.value, to.value]);
  const depthReached = Math.max(0, visits.length - 1);
  const walked: WalkedPage = {
    request: { ...request, depth: depthReached },
    start: from.value,
    page: { visits, dangling, depthReached, truncatedByDepth: false, truncatedByCap: false, hasMore: false },
    isDangling: () => false,
    warnings: source.warnings(),
  };
  return ok({ walked, end: to.value, search });
}

function absentEnds(source: TraceSource, ends: readonly Hash[]): ReadonlyMap<Hash, LocalReason> {
  return new Map(
    ends.flatMap((hash): readonly (readonly [Hash, LocalReason])[] => {
      const found = source.read(hash);
      if (found === null) return [[hash, 'missing']];
      return found === 'unreadable' ? [[hash, 'unreadable']] : [];
    }),
  );
}

async function render(tracer: Tracer, { walked, end, search }: FoundPath): Promise<TracePathResult> {
  const path = typeof search.path === 'string' ? search.path : 'found';
  return { ...(await tracer.render(walked)), path_to: end, path, searched: search.searched };
}

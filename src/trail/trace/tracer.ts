/** One page of a trace over any source: walked first, then verified, then rendered. */
import type { Hash } from '../../ledger/types.ts';
import { type Outcome, ok } from '../../record/outcome.ts';
import type { TraceRequest } from './check-input.ts';
import { badCursor, readTraceCursor, type TracePosition, writeTraceCursor } from './cursor.ts';
import { renderVisit, roomFor } from './render.ts';
import { shownLine } from './shown-text.ts';
import type { TraceSource } from './source.ts';
import { SuspendedWalks } from './suspended-walks.ts';
import type { DanglingDetail, TraceResult } from './types.ts';
import { Verifier } from './verify-record.ts';
import { type LocalReason, Walk, type WalkPage } from './walk.ts';

export interface TraceCall {
  readonly request: TraceRequest;
  readonly source: TraceSource;
  /** Whoever may go on with the cursor. */
  readonly caller: string;
  /** The record that the request names; asked on the first page only, `null` when it names none. */
  readonly resolve: () => Outcome<Hash>;
}

/** A page as it was walked; the source is not needed any more. */
export interface WalkedPage {
  readonly request: TraceRequest;
  readonly start: Hash;
  readonly page: WalkPage;
  readonly isDangling: (hash: Hash) => boolean;
  readonly warnings: readonly string[];
  readonly cursor?: string;
}

/** Records that are read, and hashes that are named, again to go on after the process forgot the walk. */
const MAX_REPEATED = 20_000;

const NOTHING: WalkPage = {
  visits: [],
  dangling: new Map(),
  depthReached: 0,
  truncatedByDepth: false,
  truncatedByCap: false,
  hasMore: false,
};

/** Traces of one process: what it verified already, and walks that may go on. */
export class Tracer {
  readonly #suspended = new SuspendedWalks();
  readonly #verifier: Verifier;

  /** @param now Unix milliseconds. */
  constructor(now: () => number) {
    this.#verifier = new Verifier(now);
  }

  /** Synchronous, so that it fits one snapshot of an index; may be called again when that was damaged. */
  walk(call: TraceCall): Outcome<WalkedPage> {
    const position = readTraceCursor(call.request, call.caller);
    if (!position.ok) return position;
    return position.value === null ? this.#begin(call) : this.#goOn(call, position.value);
  }

  async render({ request, start, page, isDangling, warnings, cursor }: WalkedPage): Promise<TraceResult> {
    const { visits, dangling } = page;
    const verdicts = request.verify ? await this.#verifier.verifyAll(visits.map(({ found }) => found)) : [];
    return {
      start_hash: start,
      direction: request.direction,
      depth_requested: request.depth,
      depth_reached: page.depthReached,
      visited: visits.map((visit, at) => renderVisit(visit, { ...request, isDangling, verification: verdicts[at] })),
      dangling: [...dangling.keys()],
      truncated_by_depth: page.truncatedByDepth,
      truncated_by_cap: page.truncatedByCap,
      warnings,
      dangling_details: [...dangling].map(([record_hash, reason]): DanglingDetail => ({ record_hash, reason })),
      ...(cursor === undefined ? {} : { cursor }),
    };
  }

  #begin(call: TraceCall): Outcome<WalkedPage> {
    const { request, resolve } = call;
    const resolved = resolve();
    if (!resolved.ok) return resolved;
    const start = resolved.value;
    const fault = faultOfStart(call, start);
    if (fault !== null) return ok(nowhere(call, { start, ...fault }));
    return ok(this.#nextPage(call, { start, walk: new Walk({ ...request, start }) }));
  }

  #goOn(call: TraceCall, position: TracePosition): Outcome<WalkedPage> {
    const { request, source } = call;
    const { start } = position;
    const kept = request.cursor === undefined ? null : this.#suspended.take(request.cursor);
    if (kept !== null) return ok(this.#nextPage(call, { start, walk: kept }));
    if (position.count + position.dangling > MAX_REPEATED) return badCursor();
    const walk = new Walk({ ...request, start });
    return walk.goTo(source, position) ? ok(this.#nextPage(call, { start, walk })) : badCursor();
  }

  #nextPage(
    { request, source, caller }: TraceCall,
    { start, walk }: { readonly start: Hash; readonly walk: Walk },
  ): WalkedPage {
    const page = walk.page(source, {
      maxNodes: request.maxNodes,
      hasRoom: roomFor(request),
      onVisit: request.verify ? (found) => this.#verifier.begin(found) : undefined,
    });
    const cursor = page.hasMore ? writeTraceCursor({ start, ...walk.position }, { request, caller }) : undefined;
    if (cursor !== undefined) this.#suspended.keep(cursor, walk);
    return {
      request,
      start,
      page,
      isDangling: (hash) => walk.isDangling(hash),
      warnings: source.warnings(),
      ...(cursor === undefined ? {} : { cursor }),
    };
  }
}

interface NoStart {
  readonly reason: LocalReason;
  /** In atrib's words, for who reads them (atrib.md 3.2, 1). */
  readonly warning: string;
}

/** `null` when the walk begins. */
function faultOfStart({ request: { contextId }, source }: TraceCall, start: Hash): NoStart | null {
  const found = source.read(start);
  if (found === null) return { reason: 'missing', warning: `start_hash ${start} not in local mirror` };
  if (found === 'unreadable') return { reason: 'unreadable', warning: `start_hash ${start} cannot be read here` };
  const { context_id: actual } = found.record;
  if (contextId === undefined || actual === contextId) return null;
  const warning = `start_hash ${start} lives in context_id ${shownLine(actual, { limit: 64 })}, and the trace is scoped to ${contextId}: leave context_id out`;
  return { reason: 'out_of_scope', warning };
}

/** One warning, as atrib gives, that also says what may have kept the start from being found. */
function nowhere(
  { request, source }: TraceCall,
  { start, reason, warning }: NoStart & { readonly start: Hash },
): WalkedPage {
  const because = source.warnings();
  return {
    request,
    start,
    // A start of another context is there, so nothing dangles.
    page: { ...NOTHING, dangling: reason === 'out_of_scope' ? new Map() : new Map([[start, reason]]) },
    isDangling: () => false,
    warnings: [because.length === 0 ? warning : `${warning}: ${because.join('; ')}`],
  };
}

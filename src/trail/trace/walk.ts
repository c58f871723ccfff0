/**
 * The walk of a trace: breadth-first over links, as atrib walks (atrib.md 3.2), with exact flags and in pages.
 *
 * Order, depths, parents and what dangles are atrib's. Ours: a flag says that something was left out only when a record
 * that is really here was, and what dangles is complete also when the page is full.
 */
import { isHash } from '../../ledger/hash.ts';
import { type LinkKind, linksOf } from '../../ledger/links.ts';
import type { Hash } from '../../ledger/types.ts';
import type { TraceRecord, TraceSource } from './source.ts';
import type { Direction } from './types.ts';

export interface WalkOptions {
  readonly start: Hash;
  readonly direction: Direction;
  readonly follow: readonly LinkKind[];
  /** Hops from the start, 0 for the start alone. */
  readonly depth: number;
  /** Only records of this context. @default all */
  readonly contextId?: string | undefined;
}

export interface Visit {
  readonly hash: Hash;
  /** Fewest hops from the start. */
  readonly depth: number;
  readonly found: TraceRecord;
  /** Records of this and earlier pages that led here while this page was made, in that order. */
  readonly parents: ReadonlySet<Hash>;
  /** Where the walk goes from here: causes before children. */
  readonly next: readonly Hash[];
  /** Those of `next` that are not here. */
  readonly absent: ReadonlySet<Hash>;
}

export type LocalReason = 'missing' | 'out_of_scope' | 'unreadable';

export interface WalkPage {
  readonly visits: readonly Visit[];
  /** What this page met and cannot show, less what an earlier page named. */
  readonly dangling: ReadonlyMap<Hash, LocalReason>;
  readonly depthReached: number;
  readonly truncatedByDepth: boolean;
  readonly truncatedByCap: boolean;
  /** Another page may show or name more. */
  readonly hasMore: boolean;
}

export interface PageOptions {
  readonly maxNodes: number;
  /** Asked before each further record; `false` ends the page as `maxNodes` does. @default never */
  readonly hasRoom?: ((visits: readonly Visit[]) => boolean) | undefined;
  /** Told of each record as it is met. @default nobody */
  readonly onVisit?: ((found: TraceRecord) => void) | undefined;
}

/** Where a walk stands: the same start, options and records lead there again. */
export interface WalkPosition {
  /** Records given so far. */
  readonly count: number;
  /** The newest of them. */
  readonly last: Hash | null;
  /** Hashes named as dangling so far. */
  readonly dangling: number;
}

interface Step {
  readonly hash: Hash;
  readonly depth: number;
  readonly parent: Hash | null;
  /** Known before it is read: children are here by their nature, causes were asked for. */
  readonly isHere: boolean;
}

/** A page while it is made. */
interface OpenPage {
  readonly visits: Visit[];
  readonly dangling: Map<Hash, LocalReason>;
  /** Causes that were asked for, and whether they are here: records of one session have most in common. */
  readonly here: Map<Hash, boolean>;
}

interface Visiting extends Pick<PageOptions, 'onVisit'> {
  readonly isFull: (page: OpenPage) => boolean;
}

interface DrainOptions {
  readonly dangling: Map<Hash, LocalReason>;
  readonly maxDangling: number;
  readonly maxLookups: number;
}

interface DrainedQueue {
  /** A record that is here was left out. */
  readonly isLeft: boolean;
  /** A limit came first: there may be more to show or to name. */
  readonly isOpen: boolean;
}

interface Neighbours {
  readonly next: readonly Hash[];
  readonly absent: ReadonlySet<Hash>;
}

/** One walk, page after page. It keeps hashes alone between pages; every page reads from the source it is given. */
export class Walk {
  readonly #options: WalkOptions;
  #queue: Step[];
  #head = 0;
  readonly #queued = new Set<Hash>();
  readonly #visited = new Set<Hash>();
  readonly #dangling = new Map<Hash, LocalReason>();
  #last: Hash | null = null;
  #depthReached = 0;
  #truncatedByDepth = false;
  /** Records that this page read for their context alone. */
  #lookups = 0;

  constructor(options: WalkOptions) {
    this.#options = options;
    this.#queue = [{ hash: options.start, depth: 0, parent: null, isHere: true }];
    this.#queued.add(options.start);
  }

  get position(): WalkPosition {
    return { count: this.#visited.size, last: this.#last, dangling: this.#dangling.size };
  }

  page(source: TraceSource, { maxNodes, hasRoom, onVisit }: PageOptions): WalkPage {
    const maxDangling = this.#dangling.size + MAX_DANGLING;
    this.#lookups = 0;
    const { visits, dangling } = this.#visitUntil(source, {
      isFull: ({ visits }) =>
        visits.length >= maxNodes || this.#dangling.size >= maxDangling || hasRoom?.(visits) === false,
      onVisit,
    });
    const { isLeft, isOpen } = this.#drain(source, { dangling, maxDangling, maxLookups: MAX_LOOKUPS });
    return {
      visits,
      dangling,
      depthReached: this.#depthReached,
      truncatedByDepth: this.#truncatedByDepth,
      truncatedByCap: isLeft,
      hasMore: isLeft || isOpen,
    };
  }

  /** Brings a new walk to where another one stood; `false` when what is there now does not lead there. */
  goTo(source: TraceSource, position: WalkPosition): boolean {
    const { dangling } = this.#visitUntil(source, { isFull: ({ visits }) => visits.length >= position.count });
    this.#drain(source, { dangling, maxDangling: position.dangling, maxLookups: Number.POSITIVE_INFINITY });
    const { count, last, dangling: named } = this.position;
    return count === position.count && last === position.last && named === position.dangling;
  }

  /** Whether the hash was met and could not be shown. */
  isDangling(hash: Hash): boolean {
    return this.#dangling.has(hash);
  }

  #visitUntil(source: TraceSource, { isFull, onVisit }: Visiting): OpenPage {
    const page: OpenPage = { visits: [], dangling: new Map(), here: new Map() };
    const parentsOf = new Map<Hash, Set<Hash>>();
    for (let step = this.#peek(); step !== undefined && !isFull(page); step = this.#peek()) {
      this.#advance();
      this.#depthReached = Math.max(this.#depthReached, step.depth);
      if (this.#dangling.has(step.hash)) continue;
      if (!this.#visited.has(step.hash)) {
        const found = this.#reach(source, step);
        if (typeof found === 'string') {
          this.#leave(step.hash, { reason: found, dangling: page.dangling });
          continue;
        }
        const parents = new Set<Hash>();
        parentsOf.set(step.hash, parents);
        const visit = {
          hash: step.hash,
          depth: step.depth,
          found,
          parents,
          ...this.#neighboursOf(source, { found, here: page.here }),
        };
        page.visits.push(visit);
        onVisit?.(found);
        this.#visited.add(step.hash);
        this.#last = step.hash;
        this.#goOn(source, visit);
      }
      if (step.parent !== null) parentsOf.get(step.hash)?.add(step.parent);
    }
    return page;
  }

  #goOn(source: TraceSource, { hash, depth, next, absent }: Visit): void {
    if (depth < this.#options.depth) {
      for (const neighbour of next) {
        this.#queue.push({ hash: neighbour, depth: depth + 1, parent: hash, isHere: !absent.has(neighbour) });
        this.#queued.add(neighbour);
      }
      return;
    }
    // Everything within the depth is in the queue by now: breadth-first meets the last depth last.
    this.#truncatedByDepth ||= next.some(
      (neighbour) =>
        !absent.has(neighbour) &&
        !this.#queued.has(neighbour) &&
        (this.#lookups >= MAX_LOOKUPS || this.#isInContext(source, neighbour)),
    );
  }

  /**
   * What is still queued: what is not here is named now, since nobody may ask for another page. In the order of the
   * queue and no further than the limits, so that another walk can come to the same state.
   */
  #drain(source: TraceSource, { dangling, maxDangling, maxLookups }: DrainOptions): DrainedQueue {
    let isLeft = false;
    let isOpen = false;
    for (let at = this.#head; at < this.#queue.length; at += 1) {
      const step = this.#queue[at];
      if (step === undefined || this.#visited.has(step.hash) || this.#dangling.has(step.hash)) continue;
      if (step.isHere && this.#options.contextId === undefined) isLeft = true;
      else if (isOpen || this.#dangling.size >= maxDangling || this.#lookups >= maxLookups) isOpen = true;
      else if (!step.isHere) this.#leave(step.hash, { reason: 'missing', dangling });
      else if (this.#isInContext(source, step.hash)) isLeft = true;
      else this.#leave(step.hash, { reason: 'out_of_scope', dangling });
    }
    return { isLeft, isOpen };
  }

  #leave(hash: Hash, { reason, dangling }: { reason: LocalReason; dangling: Map<Hash, LocalReason> }): void {
    if (this.#dangling.has(hash)) return;
    this.#dangling.set(hash, reason);
    dangling.set(hash, reason);
  }

  #reach(source: TraceSource, step: Step): TraceRecord | LocalReason {
    if (!step.isHere) return 'missing';
    const found = source.read(step.hash);
    if (found === null) return 'missing';
    if (found === 'unreadable') return 'unreadable';
    const { contextId } = this.#options;
    return contextId === undefined || found.record.context_id === contextId ? found : 'out_of_scope';
  }

  #isInContext(source: TraceSource, hash: Hash): boolean {
    const { contextId } = this.#options;
    if (contextId === undefined) return true;
    this.#lookups += 1;
    const found = source.read(hash);
    return found !== null && (found === 'unreadable' || found.record.context_id === contextId);
  }

  #neighboursOf(source: TraceSource, { found, here }: { found: TraceRecord } & Pick<OpenPage, 'here'>): Neighbours {
    const { direction, follow } = this.#options;
    const { hash, record } = found;
    const next = new Set<Hash>();
    const absent = new Set<Hash>();
    if (direction !== 'forward') {
      for (const { kind, target } of linksOf(record)) {
        if (!follow.includes(kind)) continue;
        for (const cause of isHash(target) ? [target] : resolve(source, target)) next.add(cause);
      }
      for (const cause of next) {
        const isHere = here.get(cause) ?? source.has(cause);
        here.set(cause, isHere);
        if (!isHere) absent.add(cause);
      }
    }
    if (direction !== 'backward') for (const child of source.children(hash, follow)) next.add(child);
    return { next: [...next], absent };
  }

  #peek(): Step | undefined {
    return this.#queue[this.#head];
  }

  #advance(): void {
    this.#head += 1;
    if (this.#head < COMPACT_AFTER || this.#head * 2 < this.#queue.length) return;
    this.#queue = this.#queue.slice(this.#head);
    this.#head = 0;
  }
}

const COMPACT_AFTER = 1_024;
/** Hashes that one page names as dangling: a record may name any number that never was. */
const MAX_DANGLING = 1_000;
/** Records that one page reads for their context alone; what lies beyond counts as there, and the cursor goes on. */
const MAX_LOOKUPS = 2_000;

/** Sixteen bytes name one record unless somebody makes a second on purpose; then both are shown. */
const MAX_OF_PREFIX = 2;

/** What stands for a link that leads nowhere is the link's own text. */
function resolve(source: TraceSource, target: string): readonly string[] {
  const found = source.byPrefix(target, MAX_OF_PREFIX);
  return found.length === 0 ? [target] : found;
}

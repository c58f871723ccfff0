/** What the address of a trace page asks, and the addresses of the traces that it links to. */
import type { Context } from 'hono';
import { LINK_KINDS, type LinkKind } from '../../../ledger/links.ts';
import type { Hash } from '../../../ledger/types.ts';
import { DIRECTIONS, type Direction } from '../../../trail/trace/types.ts';
import type { HttpEnv } from '../../caller.ts';
import { linkTo, thoughtPath } from '../parts/page-links.ts';

export interface TraceQuery {
  readonly depth: number;
  readonly direction: Direction;
  readonly follow: readonly LinkKind[];
  readonly cursor?: string;
}

export const DEPTHS = [1, 2, 3, 5, 10] as const;
const USUAL = { depth: 3, direction: 'backward', follow: ['informed_by'] } as const;
const MAX_CURSOR = 1_024;

/** `null` when the address says something that no trace takes. */
export function traceQueryOf(c: Context<HttpEnv>): TraceQuery | null {
  const depth = Number(c.req.query('depth') ?? USUAL.depth);
  const direction = DIRECTIONS.find((known) => known === (c.req.query('direction') ?? USUAL.direction));
  const named = c.req.queries('follow') ?? USUAL.follow;
  const follow = LINK_KINDS.filter((kind) => named.some((name) => name === kind));
  const cursor = c.req.query('cursor') ?? '';
  const isSound = Number.isInteger(depth) && depth >= 0 && depth <= 10 && follow.length === new Set(named).size;
  if (!isSound || direction === undefined || cursor.length > MAX_CURSOR) return null;
  return { depth, direction, follow, ...(cursor === '' ? {} : { cursor }) };
}

/** The path of the trace of a thought, or of a record. */
export function tracePathOf(start: { readonly thought: string } | { readonly record: Hash }): string {
  return 'thought' in start ? `${thoughtPath(start.thought)}/trace` : `/trace/${start.record.slice('sha256:'.length)}`;
}

/** What is as usual is left out, so that one page has one address. */
export function traceHref(c: Context<HttpEnv>, path: string, { depth, direction, follow, cursor }: TraceQuery): string {
  return linkTo(c, path, {
    depth: depth === USUAL.depth ? undefined : String(depth),
    direction: direction === USUAL.direction ? undefined : direction,
    follow: follow.join() === USUAL.follow.join() ? undefined : follow,
    cursor,
  });
}

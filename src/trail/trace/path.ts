/** The shortest way between two records, along links in either direction. */
import { isHash } from '../../ledger/hash.ts';
import { type LinkKind, linksOf } from '../../ledger/links.ts';
import type { Hash } from '../../ledger/types.ts';
import type { TraceSource } from './source.ts';

export interface PathOptions {
  readonly follow: readonly LinkKind[];
  /** Records that are looked at before the search gives up. @default 100,000 */
  readonly limit?: number;
}

export interface PathSearch {
  /** Both ends included. `none`: nothing that the source shows connects them. `gave_up`: the limit came first. */
  readonly path: readonly Hash[] | 'none' | 'gave_up';
  /** Records that were reached from either end. */
  readonly searched: number;
}

const LIMIT = 100_000;

/** From both ends at once, a whole distance at a time: where the two meet first there is no shorter way. */
export function shortestPath(
  source: TraceSource,
  ends: { readonly from: Hash; readonly to: Hash },
  { follow, limit = LIMIT }: PathOptions,
): PathSearch {
  const [near, far] = [new Side(ends.from), new Side(ends.to)];
  if (ends.from === ends.to) return { path: [ends.from], searched: 1 };
  const searched = () => near.reached.size + far.reached.size;
  while (near.edge.length > 0 && far.edge.length > 0) {
    const [side, other] = near.edge.length <= far.edge.length ? [near, far] : [far, near];
    const edge: Hash[] = [];
    for (const hash of side.edge) {
      for (const next of neighboursOf(source, { hash, follow })) {
        if (side.reached.has(next)) continue;
        side.reached.set(next, hash);
        edge.push(next);
        if (other.reached.has(next) && isReadable(source, next)) {
          return { path: [...near.wayTo(next).toReversed(), ...far.wayTo(next).slice(1)], searched: searched() };
        }
        if (searched() > limit) return { path: 'gave_up', searched: searched() };
      }
    }
    side.edge = edge;
  }
  return { path: 'none', searched: searched() };
}

/** What is reached from one end. */
class Side {
  /** Each with the record it was reached from, `null` for the end itself. */
  readonly reached: Map<Hash, Hash | null>;
  /** The farthest so far, all at one distance. */
  edge: readonly Hash[];

  constructor(end: Hash) {
    this.reached = new Map([[end, null]]);
    this.edge = [end];
  }

  /** From `hash` back to the end. */
  wayTo(hash: Hash): readonly Hash[] {
    const way: Hash[] = [];
    for (let at: Hash | null | undefined = hash; at; at = this.reached.get(at)) way.push(at);
    return way;
  }
}

/** Two, since sixteen bytes name one record unless somebody makes a second on purpose. */
const MAX_OF_PREFIX = 2;

/** No way leads through what cannot be shown. */
function isReadable(source: TraceSource, hash: Hash): boolean {
  const found = source.read(hash);
  return found !== null && found !== 'unreadable';
}

function* neighboursOf(
  source: TraceSource,
  { hash, follow }: { readonly hash: Hash; readonly follow: readonly LinkKind[] },
): Generator<Hash> {
  const found = source.read(hash);
  if (found === null || found === 'unreadable') return;
  for (const { kind, target } of linksOf(found.record)) {
    if (!follow.includes(kind)) continue;
    if (!isHash(target)) yield* source.byPrefix(target, MAX_OF_PREFIX);
    else if (source.has(target)) yield target;
  }
  yield* source.children(hash, follow);
}

/** Looks through every object of a repository, and says where those that hold something lie. */
import type { CommitId } from '../version-store.ts';
import type { GitLocation } from './environment.ts';
import { placesOfBlobs } from './object-places.ts';
import { type ObjectPiece, walkObjects } from './object-walk.ts';
import { refsTo } from './refs-to.ts';

export interface ObjectHit<T> {
  readonly object: string;
  readonly type: ObjectPiece['type'];
  readonly found: T;
  /** Of a blob; none when no commit that anything leads to has it. Of a commit, itself without a path. */
  readonly places: readonly { readonly path?: string; readonly commit: CommitId }[];
}

export interface ObjectSearchResult<T> {
  /** At most `limit`. */
  readonly hits: readonly ObjectHit<T>[];
  /** Objects that hold it. */
  readonly count: number;
  /** Objects looked at. */
  readonly objects: number;
  /** Refs with a commit that holds one; where none does, reflogs or nothing lead there. */
  readonly refs: readonly string[];
}

export interface ObjectSearchOptions<T> {
  /** What a piece holds, `null` for nothing. The first piece of an object that holds something decides. */
  readonly look: (piece: ObjectPiece) => T | null | Promise<T | null>;
  /** Objects kept. @default 10_000 */
  readonly limit?: number;
  /** Progress, a line each. */
  readonly report: (line: string) => void;
}

const LINE_EVERY = 20_000;

export async function searchObjects<T>(
  location: GitLocation,
  { look, limit = 10_000, report }: ObjectSearchOptions<T>,
): Promise<ObjectSearchResult<T>> {
  const held = new Map<string, { readonly type: ObjectPiece['type']; readonly found: T }>();
  let [count, objects, last] = [0, 0, ''];
  for await (const piece of walkObjects(location)) {
    const isNew = piece.id !== last;
    if (isNew) objects += 1;
    if (isNew && objects % LINE_EVERY === 0) report(`Looked at ${objects} objects`);
    last = piece.id;
    if (held.has(piece.id)) continue;
    const found = await look(piece);
    if (found === null) continue;
    count += 1;
    if (held.size < limit) held.set(piece.id, { type: piece.type, found });
  }
  const blobs = new Set([...held].filter(([, { type }]) => type === 'blob').map(([id]) => id));
  const places = await placesOfBlobs(location, blobs);
  const hits = [...held].map(([object, { type, found }]) => {
    const own = type === 'commit' ? [{ commit: object }] : [];
    return { object, type, found, places: places.get(object) ?? own };
  });
  const commits = [...new Set(hits.flatMap((hit) => hit.places.map(({ commit }) => commit)))];
  return { hits, count, objects, refs: await refsTo(location, commits) };
}

/** Signs for committed files as they are: one event a thought, many thoughts a commit; no thought file is written. */
import type { EventFile } from '../../ledger/types.ts';
import { type Outcome, ok } from '../../record/outcome.ts';
import { parseThoughtPath } from '../../record/paths.ts';
import type { Draft } from '../../store/draft.ts';
import type { Index } from '../../store/index/index.ts';
import type { TreeEntry } from '../../store/version-store.ts';
import type { TrailContext } from '../context.ts';
import { type ChangeEvent, write } from '../write.ts';
import { CALL } from './call.ts';
import type { Candidate } from './candidates.ts';

/** Thoughts of one transaction: it holds the lock for a second or two, and its redo record is a few megabytes. */
const CHUNK = 2_000;
/** Bytes of the files of one transaction, which are all in memory. */
const CHUNK_BYTES = 64 * 1024 * 1024;
/** Settings files of one event, which is at most 256 KiB, and the length of their paths. */
const SETTINGS_CHUNK = 200;
const SETTINGS_PATHS = 64 * 1024;

export interface BringInOptions {
  readonly candidates: readonly Candidate[];
  /** Bytes of the branch's file at the path; `undefined` when there is none. */
  readonly sizeOf: (path: string) => number | undefined;
  /** Progress, a line each. */
  readonly report: (line: string) => void;
}

/** Each transaction leaves a whole record; what changed meanwhile is left for the next adoption. */
export async function bringInThoughts(context: TrailContext, options: BringInOptions): Promise<Outcome<null>> {
  const { candidates, sizeOf, report } = options;
  const most = { count: CHUNK, total: CHUNK_BYTES };
  let done = 0;
  for (const chunk of chunksOf(candidates, ({ path }) => sizeOf(path) ?? 0, most)) {
    const written = await write<null>(context, CALL, async (draft) => {
      const events: ChangeEvent[] = [];
      for (const candidate of chunk) events.push(...(await adoptEvent(draft, candidate, options)));
      return ok({ events, message: `Adopt ${events.length} thoughts`, answer: null });
    });
    if (!written.ok) return written;
    done += chunk.length;
    report(`Adopted ${done} of ${candidates.length} thoughts`);
  }
  return ok(null);
}

/** None when it is not what was looked at. */
async function adoptEvent(
  draft: Draft,
  candidate: Candidate,
  { sizeOf }: Pick<BringInOptions, 'sizeOf'>,
): Promise<readonly ChangeEvent[]> {
  const { index } = draft;
  const { path, blob } = candidate;
  const row = index.thoughtByPath(path);
  if (row === null || row.held || row.blob !== blob) return [];
  const bytes = await draft.bytesOf(path, blob);
  const { thought_id, validation_status: status, agent_id: author } = row.thought;
  const names = { thought_id, status };
  const left = placesLeft(index, row.thought.thought_id)
    .filter((place) => place !== path && sizeOf(place) === undefined)
    .map((place) => ({ path: place, before: null, after: null, ...names }));
  return [
    {
      verb: 'adopt',
      informed_by: row.event === undefined ? [] : [row.event],
      local: { scope: row.scope, thought_id, status, author },
      files: [...left, { path, before: bytes, after: bytes, ...names }],
    },
  ];
}

/**
 * Where the ledger says the thought lies: FAVA's approval moves a file without saying so. By the names of the files,
 * since anybody's event can put any path beside the id, and an operator signs that these are gone.
 */
function placesLeft(index: Index, id: string): readonly string[] {
  const files = index.eventsOfThought(id).flatMap(({ envelope }) => envelope._local?.files ?? []);
  const paths = new Set(files.filter(({ path }) => parseThoughtPath(path)?.id === id).map(({ path }) => path));
  return [...paths].filter((path) => {
    const last = index.lastEventOfPath(path);
    return last?.change.after !== null || !last.event.valid;
  });
}

/** Puts settings files in force as they are committed. */
export async function bringInSettings(context: TrailContext, entries: readonly TreeEntry[]): Promise<Outcome<null>> {
  for (const chunk of chunksOf(entries, ({ size }) => size, { count: CHUNK, total: CHUNK_BYTES })) {
    const written = await write<null>(context, CALL, async (draft) => {
      const files: EventFile[] = [];
      for (const { path, blob } of chunk) {
        const bytes = await draft.bytesOf(path, blob);
        files.push({ path, before: bytes, after: bytes });
      }
      const most = { count: SETTINGS_CHUNK, total: SETTINGS_PATHS };
      const events = [...chunksOf(files, ({ path }) => Buffer.byteLength(path), most)].map(
        (files): ChangeEvent => ({ verb: 'adopt', informed_by: [], local: {}, files }),
      );
      return ok({ events, message: `Adopt ${files.length} settings files`, answer: null });
    });
    if (!written.ok) return written;
  }
  return ok(null);
}

/** The items in order, in lists of at most `count` items and, beyond a first one, `total` of their sizes. */
function* chunksOf<T>(
  items: readonly T[],
  sizeOf: (item: T) => number,
  most: { readonly count: number; readonly total: number },
): Generator<readonly T[]> {
  let chunk: T[] = [];
  let total = 0;
  for (const item of items) {
    const size = sizeOf(item);
    if (chunk.length === most.count || (chunk.length > 0 && total + size > most.total)) {
      yield chunk;
      [chunk, total] = [[], 0];
    }
    chunk.push(item);
    total += size;
  }
  if (chunk.length > 0) yield chunk;
}

/** Signs for committed files as they are: one event a thought, many thoughts a commit; no thought file is written. */
import type { EventFile } from '../../ledger/types.ts';
import { type Outcome, ok } from '../../record/outcome.ts';
import { parseThoughtPath } from '../../record/paths.ts';
import type { Draft } from '../../store/draft.ts';
import type { Index } from '../../store/index/index.ts';
import type { TreeEntry } from '../../store/version-store.ts';
import type { TrailContext } from '../context.ts';
import { type ChangeEvent, write } from '../write.ts';
import type { Candidate } from './candidates.ts';

/** Thoughts of one transaction: it holds the lock for a second or two, and its redo record is a few megabytes. */
const CHUNK = 2_000;
/** Settings files of one event, which is at most 256 KiB. */
const SETTINGS_CHUNK = 200;

const CALL = { verb: 'adopt', input: {}, idempotencyKey: undefined } as const;

export interface BringInOptions {
  readonly candidates: readonly Candidate[];
  /** Whether the branch has a file at the path. */
  readonly isThere: (path: string) => boolean;
  /** Progress, a line each. */
  readonly report: (line: string) => void;
}

/** Each transaction leaves a whole record; what changed meanwhile is left for the next adoption. */
export async function bringInThoughts(context: TrailContext, options: BringInOptions): Promise<Outcome<null>> {
  const { candidates, report } = options;
  for (let at = 0; at < candidates.length; at += CHUNK) {
    const chunk = candidates.slice(at, at + CHUNK);
    const written = await write<null>(context, CALL, async (draft) => {
      const events: ChangeEvent[] = [];
      for (const candidate of chunk) events.push(...(await adoptEvent(draft, candidate, options)));
      return ok({ events, message: `Adopt ${events.length} thoughts`, answer: null });
    });
    if (!written.ok) return written;
    report(`Adopted ${at + chunk.length} of ${candidates.length} thoughts`);
  }
  return ok(null);
}

/** None when it is not what was looked at. */
async function adoptEvent(
  draft: Draft,
  candidate: Candidate,
  { isThere }: Pick<BringInOptions, 'isThere'>,
): Promise<readonly ChangeEvent[]> {
  const { index } = draft;
  const { path, blob } = candidate;
  const row = index.thoughtByPath(path);
  if (row === null || row.held || row.blob !== blob) return [];
  const bytes = await draft.bytesOf(path, blob);
  const { thought_id, validation_status: status, agent_id: author } = row.thought;
  const names = { thought_id, status };
  const left = placesLeft(index, row.thought.thought_id)
    .filter((place) => place !== path && !isThere(place))
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
  return [...paths].filter((path) => index.lastEventOfPath(path)?.change.after !== null);
}

/** Puts settings files in force as they are committed. */
export async function bringInSettings(context: TrailContext, entries: readonly TreeEntry[]): Promise<Outcome<null>> {
  if (entries.length === 0) return ok(null);
  return write<null>(context, CALL, async (draft) => {
    const files: EventFile[] = [];
    for (const { path, blob } of entries) {
      const bytes = await draft.bytesOf(path, blob);
      files.push({ path, before: bytes, after: bytes });
    }
    const events: ChangeEvent[] = [];
    for (let at = 0; at < files.length; at += SETTINGS_CHUNK) {
      events.push({ verb: 'adopt', informed_by: [], local: {}, files: files.slice(at, at + SETTINGS_CHUNK) });
    }
    return ok({ events, message: `Adopt ${files.length} settings files`, answer: null });
  });
}

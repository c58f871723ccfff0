/**
 * Finishes what FAVA left unfinished, in its way: the files of a change that has a journal are put back as they were
 * before (fava.md 3.6), whether or not that change was committed.
 */
import { join } from 'node:path';
import { isSameBytes } from '../../record/bytes.ts';
import { decodeThought } from '../../record/codec/index.ts';
import { type Outcome, ok, refuse } from '../../record/outcome.ts';
import { refuseSecrets } from '../../secrets/refuse-secrets.ts';
import { readFavaJournal, removeFavaJournal } from '../../store/fava/journal.ts';
import { settleFiles } from '../../store/git/index.ts';
import type { TrailContext } from '../context.ts';
import { type ChangeEvent, write } from '../write.ts';
import { CALL } from './call.ts';

export interface LeftJournal {
  /** Path to the bytes to put back; empty when FAVA left nothing. */
  readonly before: ReadonlyMap<string, Uint8Array | null>;
}

export function readJournal(root: string): Outcome<LeftJournal> {
  const journal = readFavaJournal(root);
  if (journal.state === 'none') return ok({ before: new Map() });
  if (journal.state === 'left') return ok({ before: journal.before });
  return refuse('repository', `FAVA left a journal that cannot be used, "${journal.file}": ${journal.message}`, {
    next: 'Let FAVA recover it (any approval does), or look at "jj status" and move the journal away; then adopt again',
    details: { fault: 'fava_journal' },
  });
}

/** Puts the files back, in the working tree and on the branch, and then removes the journal. */
export async function recover(context: TrailContext, journal: LeftJournal): Promise<Outcome<null>> {
  const { before } = journal;
  if (before.size === 0) return ok(null);
  for (const [path, bytes] of before) {
    const secret = await refuseSecrets({ [path]: Buffer.from(bytes ?? []).toString('utf8') });
    if (secret !== null) return secret;
  }
  const { root, store } = context.repository;
  await settleFiles({ root, temporary: join(root, '.waymark', 'tmp') }, before);
  const written = await write<null>(context, CALL, async (draft) => {
    const committed = new Map<string, Uint8Array | null>();
    for (const path of before.keys()) {
      committed.set(path, draft.head === null ? null : await store.readPath(draft.head, path));
    }
    const events = eventsOf(before, committed);
    return ok({ events, message: 'Recover interrupted governance approval', answer: null });
  });
  if (written.ok) removeFavaJournal(root);
  return written;
}

/** One a thought, whose file may have been moved. */
function eventsOf(
  before: LeftJournal['before'],
  committed: ReadonlyMap<string, Uint8Array | null>,
): readonly ChangeEvent[] {
  const events: ChangeEvent[] = [];
  for (const name of new Set([...before.keys()].map(fileName))) {
    const paths = [...before.keys()].filter((path) => fileName(path) === name);
    const isUndone = paths.some((path) => !isSameBytes(before.get(path) ?? null, committed.get(path) ?? null));
    if (!isUndone) continue;
    const kept = paths.map((path) => before.get(path)).find((bytes) => bytes != null);
    const decoded = kept == null ? null : decodeThought(kept);
    const thought = decoded?.ok ? decoded.thought : null;
    const names = thought === null ? {} : { thought_id: thought.thought_id, status: thought.validation_status };
    events.push({
      verb: 'adopt',
      informed_by: [],
      local: { ...names, ...(thought === null ? {} : { author: thought.agent_id }) },
      files: paths.map((path) => ({
        path,
        before: committed.get(path) ?? null,
        after: before.get(path) ?? null,
        ...names,
      })),
    });
  }
  return events;
}

function fileName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

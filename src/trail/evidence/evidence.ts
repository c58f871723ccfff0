/** Puts together what an auditor takes away: everything that shows how something came to be, with its proofs. */
import type { Hash } from '../../ledger/types.ts';
import { type Outcome, ok, refuse } from '../../record/outcome.ts';
import type { Principal } from '../../record/principal.ts';
import type { Index } from '../../store/index/index.ts';
import type { CommitId } from '../../store/version-store.ts';
import type { TrailContext } from '../context.ts';
import { findThought, viewsOf } from '../find-thought.ts';
import { checkRecordName } from '../trace/check-input.ts';
import { ownLog } from '../trace/own-log.ts';
import { recordByPrefix } from '../trace/record-by-prefix.ts';
import type { TraceSource } from '../trace/source.ts';
import { packFiles } from './pack-files.ts';
import { proveRecords } from './prove-records.ts';
import { selectAuthority } from './select-authority.ts';
import type { Enrolments } from './select-enrolments.ts';
import { type Selection, selectRecords } from './select-records.ts';
import type { Evidence, EvidenceInput } from './types.ts';

export interface Subject {
  readonly thought_id?: string;
  readonly record_hash?: Hash;
}

interface Selected {
  readonly head: CommitId;
  readonly subject: Subject;
  readonly selection: Selection;
  readonly enrolments: Enrolments;
}

/** Writes nothing. All is read at one commit, whatever is saved meanwhile. */
export async function collectEvidence(context: TrailContext, input: EvidenceInput): Promise<Outcome<Evidence>> {
  const { repository } = context;
  const { value: selected } = await repository.read((index) => select(index, context, input.id));
  if (!selected.ok) return selected;
  const { head, subject, selection, enrolments } = selected.value;
  const events = new Map([...selection.events, ...enrolments.events].map((event) => [event.hash, event]));
  const ordered = [...events.values()].sort((a, b) => a.pos - b.pos);
  const proved = await proveRecords(ordered, { repository, head });
  if (!proved.ok) return proved;
  const texts = new Map<string, Uint8Array>();
  for (const { path, blob } of selection.thoughts) texts.set(path, await repository.store.readBlob(blob));
  const { trust } = repository;
  const files = packFiles({ trust, head, subject, selection, texts, enrolments, proved: proved.value, ...input });
  return ok({
    files,
    head,
    records: ordered.length,
    thoughts: [...new Set(selection.thoughts.map(({ thought }) => thought.thought_id))],
    truncated: selection.truncated,
  });
}

function select(index: Index, { principal }: TrailContext, id: string): Outcome<Selected> {
  const malformed = checkRecordName(id, { takesThoughts: true, field: 'id' });
  if (malformed !== null) return malformed;
  const source = ownLog(index, principal);
  const found = id.startsWith('sha256:') ? recordOf(source, id) : thoughtOf(index, { id, principal, source });
  if (!found.ok) return found;
  const head = index.indexedCommit();
  if (head === null) throw new Error('Something was found in an empty index');
  const selection = selectRecords(found.value.start, { index, source, principal });
  const { subject } = found.value;
  if (
    subject.thought_id !== undefined &&
    !selection.thoughts.some(({ thought }) => thought.thought_id === subject.thought_id)
  ) {
    return refuse('repository', 'No signed record says that the text of this thought is what it is', {
      next: 'Run "waymark verify" to see what was done to it, or name one of its records',
    });
  }
  const { erasures, enrolments } = selectAuthority(index, selection.events);
  if (![...enrolments.events, ...erasures].every(({ hash }) => source.has(hash))) {
    return refuse('authority', 'The keys of these records go back to the owner by records that you may not see', {
      next: 'Ask an operator to run it (WAYMARK_OPERATOR=1)',
    });
  }
  return ok({ head, subject, selection: { ...selection, events: [...selection.events, ...erasures] }, enrolments });
}

interface Found {
  readonly subject: Subject;
  readonly start: readonly Hash[];
}

function thoughtOf(
  index: Index,
  { id, principal, source }: { readonly id: string; readonly principal: Principal; readonly source: TraceSource },
): Outcome<Found> {
  const row = findThought(index, id, { principal, views: viewsOf(principal) });
  if (!row.ok) return row;
  const { thought_id } = row.value.thought;
  const start = index.eventsOfThought(thought_id).map(({ hash }) => hash);
  return ok({ subject: { thought_id }, start: start.filter((hash) => source.has(hash)) });
}

function recordOf(source: TraceSource, id: string): Outcome<Found> {
  const found = recordByPrefix(source, id, 'id');
  if (!found.ok) return found;
  const { value: record_hash } = found;
  if (source.has(record_hash)) return ok({ subject: { record_hash }, start: [record_hash] });
  return refuse('not_found', 'No record of that hash is visible to you', {
    field: 'id',
    next: 'Look for it with trace, or name a thought',
  });
}

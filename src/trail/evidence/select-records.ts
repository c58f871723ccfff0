/** Which records and thoughts an archive about something holds, as far as the caller may see them. */
import { linksOf } from '../../ledger/index.ts';
import type { Hash } from '../../ledger/types.ts';
import { isThoughtId } from '../../record/ids.ts';
import type { Principal } from '../../record/principal.ts';
import { isVisible } from '../../record/visibility.ts';
import type { Index, IndexedEvent, StoredThought } from '../../store/index/index.ts';
import type { TraceSource } from '../trace/source.ts';
import { MAX_DEPTH, MAX_RECORDS } from './types.ts';

export interface Selection {
  /** By position in the order of all events. */
  readonly events: readonly IndexedEvent[];
  readonly thoughts: readonly StoredThought[];
  readonly truncated: boolean;
}

export interface SelectOptions {
  readonly index: Index;
  /** Of the caller: what it must not see is absent. */
  readonly source: TraceSource;
  readonly principal: Principal;
}

/** The causes of `start`, every thought they are about, and every event that names one of those. */
export function selectRecords(start: readonly Hash[], options: SelectOptions): Selection {
  const { index, source } = options;
  const walked = causesOf(start, source);
  const events = new Map(walked.hashes.flatMap((hash) => found(index, hash)));
  const thoughts = new Map<string, StoredThought>();
  let { truncated } = walked;
  for (const id of new Set([...events.values()].flatMap(thoughtsNamedBy))) {
    const rows = index.thoughtById(id).filter(({ facts }) => maySee(facts, options.principal));
    if (rows.length === 0) continue;
    for (const row of rows) thoughts.set(row.path, row);
    // The text is proved by the newest of them; the others say how it came to be so.
    for (const { hash } of index.eventsOfThought(id)) {
      if (!source.has(hash) || events.has(hash)) continue;
      if (events.size >= MAX_RECORDS) truncated = true;
      else for (const [key, event] of found(index, hash)) events.set(key, event);
    }
  }
  // Without the record that signed it a text is no evidence.
  const proved = [...thoughts.values()].filter(({ event }) => event !== undefined && events.has(event));
  return {
    events: [...events.values()].sort((a, b) => a.pos - b.pos),
    thoughts: proved.sort((a, b) => (a.path < b.path ? -1 : 1)),
    truncated,
  };
}

/** Breadth first over every kind of link. */
function causesOf(start: readonly Hash[], source: TraceSource) {
  const hashes = new Set(start.filter((hash) => source.has(hash)));
  let level = [...hashes];
  let truncated = false;
  for (let depth = 0; level.length > 0; depth += 1) {
    const next: Hash[] = [];
    for (const target of level.flatMap((hash) => targetsOf(source, hash))) {
      if (hashes.has(target) || !source.has(target)) continue;
      if (depth === MAX_DEPTH || hashes.size >= MAX_RECORDS) {
        truncated = true;
        continue;
      }
      hashes.add(target);
      next.push(target);
    }
    level = next;
  }
  return { hashes: [...hashes], truncated };
}

function targetsOf(source: TraceSource, hash: Hash): readonly Hash[] {
  const read = source.read(hash);
  if (read === null || read === 'unreadable') return [];
  return linksOf(read.record).flatMap(({ kind, target }) =>
    kind === 'provenance' ? source.byPrefix(target, 2) : target,
  );
}

function found(index: Index, hash: Hash): readonly (readonly [Hash, IndexedEvent])[] {
  const event = index.eventByHash(hash);
  return event === null ? [] : [[hash, event]];
}

function thoughtsNamedBy({ envelope }: IndexedEvent): readonly string[] {
  const { thought_id, files = [] } = envelope._local ?? {};
  const ids = [thought_id, ...files.map((file) => file.thought_id)];
  return ids.flatMap((id) => (id !== undefined && isThoughtId(id) ? [id] : []));
}

function maySee(facts: StoredThought['facts'], principal: Principal): boolean {
  return isVisible(facts, { principal, view: 'lineage' }) || isVisible(facts, { principal, view: 'history' });
}

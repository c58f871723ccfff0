/** What is left, at an earlier time, of thoughts that were erased since: who said something when, not what. */
import { parseThoughtPath } from '../../record/paths.ts';
import type { Status } from '../../record/thought.ts';
import { isoFromMillis } from '../../record/time.ts';
import type { Index } from '../index/index.ts';
import type { IndexedEvent, ThoughtRow } from '../index/types.ts';

export interface Times {
  /** Holds the events of then. */
  readonly past: Pick<Index, 'eventByHash' | 'custodyOf'>;
  /** Those that count at present. */
  readonly erasures: readonly IndexedEvent[];
}

/** Ids of the thoughts that were erased since. */
export function erasedSince(times: Times): ReadonlySet<string> {
  return new Set(erasuresSince(times).flatMap(({ envelope }) => envelope._local?.thought_id ?? []));
}

/** Of what was erased then already, what is left is the file of then. */
function erasuresSince({ past, erasures }: Times): readonly IndexedEvent[] {
  return erasures.filter(({ hash }) => past.eventByHash(hash) === null);
}

/** Rows without a text for the files of thoughts that were erased since, as the events of then left them. */
export function skeletonRows(times: Times): readonly ThoughtRow[] {
  const { past } = times;
  const ofThen = erasuresSince(times)
    .flatMap(({ envelope: { _local: local } }) =>
      (local?.erased ?? []).map((said) => ({ said, erased: local?.thought_id })),
    )
    .flatMap(({ said, erased }) => {
      const event = past.eventByHash(said.record);
      return event === null ? [] : [{ said, erased, event }];
    })
    .sort((a, b) => a.event.pos - b.event.pos);
  const rows = new Map<string, ThoughtRow>();
  const firstOf = new Map<string, IndexedEvent>();
  const began = (id: string, event: IndexedEvent) => {
    const first = firstOf.get(id) ?? event;
    firstOf.set(id, first);
    return isoFromMillis(first.envelope.record.timestamp);
  };
  for (const { said, erased, event } of ofThen) {
    // A thought lies in one file: of a move, the place it went to comes last.
    for (const { path, thought_id: id, status } of said.files ?? []) {
      // What it says of other thoughts, their own files show.
      if (id === undefined || id !== erased) continue;
      if (status === undefined || parseThoughtPath(path)?.id !== id) continue;
      const agent_id = past.custodyOf(id)?.agent_id ?? said.agent_id;
      rows.set(id, rowOf({ path, status, event, agent_id }, began(id, event)));
    }
  }
  return [...rows.values()];
}

interface Trace {
  readonly path: string;
  readonly status: Status;
  readonly event: IndexedEvent;
  /** Its author. */
  readonly agent_id: string;
}

function rowOf({ path, status, event, agent_id }: Trace, created_at: string): ThoughtRow {
  const place = parseThoughtPath(path);
  if (place === null) throw new TypeError(`"${path}" is no path of a thought`);
  const { scope, namespace, id } = place;
  return {
    path,
    scope,
    namespace,
    blob: '',
    held: event.valid,
    ...(event.valid ? {} : { reason: 'event_invalid' as const }),
    event: event.hash,
    thought: {
      schema_version: 1,
      thought_id: id,
      agent_id,
      confidence: 0,
      source_type: 'observation',
      validation_status: status,
      created_at,
      relationships: [],
      metadata: { tags: [], extra: {} },
      body: '',
    },
  };
}

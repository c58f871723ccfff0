/**
 * This record's own log as a source, for one caller.
 *
 * An event that the caller may not see is absent in every method, as one that was never written.
 */
import { statedLogOf } from '../../ledger/links.ts';
import { recordHash } from '../../ledger/record.ts';
import type { Hash } from '../../ledger/types.ts';
import { eventPath } from '../../ledger/writer.ts';
import { approverOf } from '../../record/approver.ts';
import { isThoughtId } from '../../record/ids.ts';
import { previewOf } from '../../record/preview.ts';
import type { Principal } from '../../record/principal.ts';
import type { JsonObject } from '../../record/thought.ts';
import { isEventVisible, isVisible } from '../../record/visibility.ts';
import type { EventMention, Index, IndexedEvent } from '../../store/index/index.ts';
import { viewsOf } from '../find-thought.ts';
import { shownText } from './shown-text.ts';
import type { TracedThought, TraceRecord, TraceSource } from './source.ts';
import { firstOf } from './sources.ts';

/** Reads through `index`, so it lives as long as the snapshot. */
export function ownLog(index: Index, principal: Principal): TraceSource {
  const thoughts = new Map<string, TracedThought | null>();
  /** Several events are about each thought, and a body may be long. */
  const thoughtOf = (id: string) => {
    const known = thoughts.get(id);
    if (known !== undefined) return known;
    const read = readThought(index, { id, principal });
    thoughts.set(id, read);
    return read;
  };
  const isSeen = (mention: EventMention | null) => mention !== null && isEventVisible(mention, principal);
  const has = (hash: Hash) => isSeen(index.mentionOf(hash));
  return {
    read(hash) {
      if (!has(hash)) return null;
      const event = readAgain(index, hash);
      return event === null ? 'unreadable' : tracedEvent(event, thoughtOf);
    },
    has,
    statedLog: (hash) => (has(hash) ? statedLogOf(readAgain(index, hash)?.envelope.record ?? {}) : null),
    children: (hash, kinds) =>
      index
        .eventsLinkingTo(hash, kinds)
        .filter(isSeen)
        .map((event) => event.hash),
    byPrefix: (prefix, limit) =>
      firstOf((size) => index.eventsByPrefix(prefix, size).map((event) => event.hash), { limit, isKept: has }),
    ofContext(contextId, limit) {
      const hashes: Hash[] = [];
      for (const event of index.eventsOfContext(contextId)) {
        if (isSeen(event)) hashes.push(event.hash);
        if (hashes.length === limit) break;
      }
      return hashes;
    },
    warnings: () => [],
  };
}

/** `null` when the index holds other bytes under that hash: it is disposable, so nothing it says of them counts. */
function readAgain(index: Index, hash: Hash): IndexedEvent | null {
  try {
    const event = index.eventByHash(hash);
    return event !== null && recordHash(event.envelope.record) === hash ? event : null;
  } catch (error) {
    // Text that is no JSON any more; what SQLite itself finds damaged is for the repository to mend.
    if (error instanceof SyntaxError || error instanceof TypeError) return null;
    throw error;
  }
}

function tracedEvent(
  { hash, envelope, valid, invalidReason }: IndexedEvent,
  thoughtOf: (id: string) => TracedThought | null,
): TraceRecord {
  const { record, _local: local } = envelope;
  const id = local?.thought_id;
  // A prefix of an id would name another thought.
  const thought = id !== undefined && isThoughtId(id) ? thoughtOf(id) : null;
  return {
    hash,
    record,
    // Parsed from JSON, like the record; its own type only says what the members mean.
    local: local === undefined ? null : (local as JsonObject),
    ...(local?.erased_by === undefined ? {} : { erased_by: local.erased_by }),
    source: record.waymark === undefined ? 'ledger' : eventPath(record.waymark.log, record.waymark.seq),
    ...(valid ? {} : { discounted: invalidReason ?? 'event_invalid' }),
    ...(thought === null ? {} : { thought }),
  };
}

function readThought(
  index: Index,
  { id, principal }: { readonly id: string; readonly principal: Principal },
): TracedThought | null {
  const row = index
    .thoughtById(id)
    .find(({ facts }) => viewsOf(principal).some((view) => isVisible(facts, { principal, view })));
  if (row === undefined) return null;
  const { scope, facts, thought } = row;
  const approver = facts.held && facts.status === 'approved' ? approverOf(thought.metadata.extra) : null;
  return {
    thought_id: id,
    scope,
    status: facts.status,
    superseded: facts.superseded,
    content_preview: shownText(previewOf(thought.body)),
    ...(approver === null ? {} : { approved_by: shownText(approver) }),
  };
}

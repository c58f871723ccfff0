/** This agent's own records, as lines of an atrib mirror. */
import { eventPath, logNameOf, readEventLine, recordHash } from '../ledger/index.ts';
import type { EventEnvelope, Verb } from '../ledger/types.ts';
import type { JsonObject } from '../record/thought.ts';
import { isVisible } from '../record/visibility.ts';
import type { Index } from '../store/index/index.ts';
import type { MirroredRecord } from '../store/mirror-file.ts';
import { isFile } from '../store/read-batches.ts';
import { cloneId } from './clone.ts';
import type { OpenRecord } from './open.ts';

export interface OwnRecordsOptions {
  readonly agentId: string;
  /** Envelopes with sidecar and, of a thought the agent wrote, its text. @default bare records */
  readonly withContent: boolean;
}

/** Verbs by which an agent writes a text of its own. */
const WRITES: readonly Verb[] = ['save', 'update', 'supersede', 'change_scope'];

/** Log by log, each in its own order, at the indexed commit. What cannot be read is for `verify` to name. */
export async function* ownRecords(record: OpenRecord, options: OwnRecordsOptions): AsyncGenerator<MirroredRecord> {
  const { store, index } = record.repository;
  const reader = index.reader();
  const head = reader.indexedCommit();
  if (head === null) return;
  for (const log of ownLogs(record, options.agentId)) {
    const entries = await store.list(head, `ledger/${log}/`);
    const files = entries.filter(({ path, mode }) => isFile(mode) && path.endsWith('.jsonl'));
    const ordered = files.sort((a, b) => (a.path < b.path ? -1 : 1));
    let at = 0;
    for await (const bytes of store.readBlobs(ordered.map(({ blob }) => blob))) {
      const line = readEventLine(bytes);
      const path = ordered[at]?.path;
      at += 1;
      if (!line.ok) continue;
      const { record: signed } = line.envelope;
      // Whatever else somebody put into the folder is not ours.
      const place = signed.waymark;
      if (place?.log !== log || eventPath(log, place.seq) !== path || logNameOf(signed.creator_key) !== log) continue;
      yield { hash: recordHash(signed), line: JSON.stringify(lineOf(line.envelope, { ...options, index: reader })) };
    }
  }
}

/** Of the agent's key in this clone, of its operator key where it has one here, and of those they took over from. */
function ownLogs({ keys, repository }: OpenRecord, agent_id: string): readonly string[] {
  const holder = { repository: repository.trust.repositoryId, agent_id };
  const stored = [
    keys.find({ kind: 'agent', ...holder, clone: cloneId(repository.root) }),
    keys.find({ kind: 'operator', ...holder }),
  ];
  const own = new Set(stored.flatMap((key) => key?.publicKey ?? []));
  // Newest first: whoever handed over to a key of ours was ours too.
  for (const { envelope } of repository.index.reader().validEventsOf('rotate').toReversed()) {
    if (own.has(envelope._local?.enrolment?.key ?? '')) own.add(envelope.record.creator_key);
  }
  return [...own].map(logNameOf);
}

function lineOf(
  { record, _local: local }: EventEnvelope,
  { withContent, index, agentId }: OwnRecordsOptions & { readonly index: Index },
): unknown {
  if (!withContent || local === undefined) return record;
  const id = local.thought_id;
  const content = id === undefined || !WRITES.includes(local.verb) ? null : contentOf(index, { id, agentId });
  return { record, _local: content === null ? local : { ...local, content } };
}

/** The text as it is committed now; `null` when the thought is gone, another's or not what the ledger says. */
function contentOf(
  index: Index,
  { id, agentId }: { readonly id: string; readonly agentId: string },
): JsonObject | null {
  const principal = { agent_id: agentId, role: 'agent', via: 'cli' } as const;
  const row = index
    .thoughtById(id)
    .find(({ facts }) => facts.agent_id === agentId && isVisible(facts, { principal, view: 'lineage' }));
  return row === undefined ? null : { what: row.thought.body, topics: row.thought.metadata.tags };
}

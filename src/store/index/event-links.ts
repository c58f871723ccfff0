/** What events name: other records, and the thoughts whose visibility decides who sees the event. */
import type { Database } from 'better-sqlite3';
import { LINK_KINDS, type LinkKind, linksOf } from '../../ledger/links.ts';
import type { AtribRecord, Hash, Verb } from '../../ledger/types.ts';
import type { KeyRole } from '../../record/principal.ts';
import type { Status } from '../../record/thought.ts';
import type { EventVisibilityFacts, VisibilityFacts } from '../../record/visibility.ts';

/** An event by its hash, and what its visibility depends on. */
export interface EventMention extends EventVisibilityFacts {
  readonly hash: Hash;
}

export interface EventLinks {
  /** `null` when there is no such event. */
  mentionOf(hash: Hash): EventMention | null;
  /** Events that name the record by these links: oldest timestamp first, then by hash. */
  eventsLinkingTo(hash: Hash, kinds: readonly LinkKind[]): readonly EventMention[];
  /** Events of the context: oldest timestamp first, then by hash. Read as far as the caller does. */
  eventsOfContext(contextId: string): IterableIterator<EventMention>;
}

interface MentionRow {
  readonly hash: string;
  readonly said_verb: Verb | null;
  readonly said_agent: string | null;
  readonly said_role: KeyRole | null;
  readonly said_scope: string | null;
  readonly id: string | null;
  readonly status: Status | null;
  readonly agent_id: string | null;
  readonly held: number;
  readonly superseded: number;
  readonly scope: string | null;
}

/** Of a provenance link: as many bytes of the record hash as its token has. */
const PROVENANCE_BYTES = 16;

const MENTION = `
  SELECT hash, said_verb, said_agent, said_role,
    CASE WHEN event_thought.id IS NULL THEN envelope ->> '$._local.scope' END AS said_scope, event_thought.id, thought.status, thought.agent_id, held, superseded,
    scope.name AS scope`;
const NAMED = `
  LEFT JOIN event_thought ON event_thought.pos = event.pos LEFT JOIN thought ON thought.id = event_thought.id
  LEFT JOIN scope ON scope.scope_id = thought.scope_id`;

export function eventLinks(db: Database) {
  const addLink = db.prepare('INSERT OR IGNORE INTO event_link (target, kind, time, pos) VALUES (?, ?, ?, ?)');
  const addContext = db.prepare('INSERT OR IGNORE INTO event_context (context_id, time, pos) VALUES (?, ?, ?)');
  const byHash = db.prepare<[string], MentionRow>(
    `${MENTION} FROM event ${NAMED} WHERE hash = ? ORDER BY event_thought.id`,
  );
  const byTarget = db.prepare<[Uint8Array, number], MentionRow & { readonly time: number }>(
    `${MENTION}, time FROM event_link JOIN event USING (pos) ${NAMED} WHERE target = ? AND kind = ?
     ORDER BY time, hash, event_thought.id`,
  );
  const byContext = db.prepare<[string], MentionRow>(
    `${MENTION} FROM event_context JOIN event USING (pos) ${NAMED} WHERE context_id = ?
     ORDER BY time, hash, event_thought.id`,
  );

  const read: EventLinks = {
    mentionOf: (hash) => [...mentionsIn(byHash.iterate(hash))][0] ?? null,
    eventsLinkingTo(hash, kinds) {
      const found = kinds.flatMap((kind) => byTarget.all(targetOf(kind, hash), LINK_KINDS.indexOf(kind)));
      // One kind is in order already; an event may name a record by several.
      const rows = kinds.length === 1 ? found : found.sort((a, b) => a.time - b.time || compare(a.hash, b.hash));
      return [...mentionsIn(rows)];
    },
    eventsOfContext: (contextId) => mentionsIn(byContext.iterate(contextId)),
  };
  return {
    read,
    put(record: AtribRecord, pos: number): void {
      for (const { kind, target } of linksOf(record)) {
        addLink.run(targetOf(kind, target), LINK_KINDS.indexOf(kind), record.timestamp, pos);
      }
      addContext.run(record.context_id, record.timestamp, pos);
    },
  };
}

function targetOf(kind: LinkKind, target: string): Uint8Array {
  const bytes = Buffer.from(target.slice('sha256:'.length), 'hex');
  return kind === 'provenance' ? bytes.subarray(0, PROVENANCE_BYTES) : bytes;
}

/** Joins the rows of one event, which follow each other. */
function* mentionsIn(rows: Iterable<MentionRow>): IterableIterator<EventMention> {
  let last: MentionRow | null = null;
  let thoughts = new Map<string, VisibilityFacts[]>();
  for (const row of rows) {
    if (last !== null && row.hash !== last.hash) {
      yield mention(last, thoughts);
      thoughts = new Map();
    }
    last = row;
    if (row.id === null) continue;
    const files = thoughts.get(row.id) ?? [];
    thoughts.set(row.id, files);
    const { status, agent_id, scope } = row;
    if (status === null || agent_id === null || scope === null) continue;
    files.push({ scope, status, agent_id, held: row.held === 1, superseded: row.superseded === 1 });
  }
  if (last !== null) yield mention(last, thoughts);
}

function mention(row: MentionRow, thoughts: ReadonlyMap<string, readonly VisibilityFacts[]>): EventMention {
  const { hash, said_verb: verb, said_agent: agent_id, said_role: role, said_scope: scope } = row;
  if (verb === null || agent_id === null || role === null) return { hash, thoughts: [...thoughts.values()] };
  const said = { verb, agent_id, role, ...(scope === null ? {} : { scope }) };
  return { hash, said, thoughts: [...thoughts.values()] };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Events and what is looked up from them. The ledger's files are the truth; nothing is verified here. */
import type { Database } from 'better-sqlite3';
import { erasedThoughtOf } from '../../ledger/index.ts';
import type { EventEnvelope, Hash, Verb } from '../../ledger/types.ts';
import { canBeQuarantined, putsInForce } from '../../record/lifecycle.ts';
import { parseThoughtPath } from '../../record/paths.ts';
import { STATUSES } from '../../record/thought.ts';
import { custodyAfter, quarantineOf } from '../custody.ts';
import { type EventLinks, eventLinks } from './event-links.ts';
import type { Custody, IndexedEvent, PathEvent, Quarantine } from './types.ts';

export interface EventStore extends EventLinks {
  /** Replaces an event of the same position or hash. */
  putEvent(event: IndexedEvent & { readonly text?: string }): void;
  eventByHash(hash: Hash): IndexedEvent | null;
  /** The first `limit` events whose hash starts with `prefix`, by hash. */
  eventsByPrefix(prefix: string, limit: number): readonly IndexedEvent[];
  /** The newest events that changed something in the scope, newest first. Slow: it may read every event. */
  newestEventsOfScope(scope: string, limit: number): readonly IndexedEvent[];
  eventAt(pos: number): IndexedEvent | null;
  /** Events whose sidecar names the thought, oldest first. */
  eventsOfThought(id: string): readonly IndexedEvent[];
  /** The newest event that names the path, and what it says of it. */
  lastEventOfPath(path: string): PathEvent | null;
  /** Distinct paths the events at these positions name, sorted. */
  pathsOfEvents(positions: readonly number[]): readonly string[];
  /** Valid events of the key from this place in its log on, oldest first. Slow: it may read every event. */
  validEventsFrom(place: { readonly key: string; readonly seq: number }, limit?: number): readonly IndexedEvent[];
  /** Valid events of a verb, oldest first. Slow: it may read every event. */
  validEventsOf(verb: Verb): readonly IndexedEvent[];
  /** Keys of which an event that a revocation voids said something. Slow: it may read every event. */
  voidedKeys(): ReadonlySet<string>;
  /** Whether an erasure of the thought counts. */
  isErased(thoughtId: string): boolean;
  /** Records whose sidecars were erased. Slow: it may read every event. */
  erasedRecords(): readonly Hash[];
  newestEvent(): IndexedEvent | null;
  /** The newest event whose log is another one; records without a log do not count. */
  newestEventOfOthers(log: string): IndexedEvent | null;
  /** The newest event of the log, in sequence or not. */
  newestEventOf(log: string): IndexedEvent | null;
  /** Whose the thought is and how the newest valid event left it; `null` when none names its file. */
  custodyOf(thoughtId: string): Custody | null;
  /** Every valid quarantine, oldest first. */
  quarantines(): readonly Quarantine[];
  /** Paths of undecided and approved thoughts that the agent wrote from then on, sorted. Slow: it reads all custodies. */
  pathsWritten(by: Pick<Quarantine, 'agent_id' | 'since'>): readonly string[];
  /** Hash of the newest event in the context. */
  contextTail(contextId: string): Hash | null;
}

interface EventRow {
  readonly pos: number;
  readonly hash: string;
  readonly envelope: string;
  readonly valid: number;
  readonly invalid_reason: string | null;
  readonly role: NonNullable<IndexedEvent['role']> | null;
}

const EVENT = 'SELECT pos, hash, envelope, valid, invalid_reason, role FROM event';
const NEWEST_WINS = 'DO UPDATE SET pos = max(pos, excluded.pos)';

export function eventStore(db: Database): EventStore {
  const add = db.prepare(
    `INSERT OR REPLACE INTO event (pos, hash, envelope, valid, invalid_reason, role, said_verb, said_agent, said_role)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const addThought = db.prepare('INSERT OR IGNORE INTO event_thought (id, pos) VALUES (?, ?)');
  const addPath = db.prepare(`INSERT INTO path_event VALUES (?, ?) ON CONFLICT (path) ${NEWEST_WINS}`);
  const isErased = db.prepare<[string], number>('SELECT 1 FROM erased WHERE id = ?').pluck();
  const addErased = db.prepare('INSERT OR IGNORE INTO erased (id) VALUES (?)');
  const pathsLike = db.prepare<[string], string>('SELECT path FROM path_event WHERE instr(path, ?) > 0').pluck();
  const dropPath = db.prepare('DELETE FROM path_event WHERE path = ?');
  const addLog = db.prepare(`INSERT INTO log_event VALUES (?, ?) ON CONFLICT (log) ${NEWEST_WINS}`);
  const addGoverned = db.prepare(
    `INSERT INTO governed (path, pos, state) VALUES (?, ?, 'unresolved')
     ON CONFLICT (path) DO UPDATE SET pos = excluded.pos, state = excluded.state WHERE excluded.pos > pos`,
  );
  const setCustody = db.prepare('INSERT OR REPLACE INTO custody VALUES (?, ?, ?, ?, ?)');
  const custody = db.prepare<[string], CustodyRow>(
    'SELECT agent_id, status, written, quarantined FROM custody WHERE id = ?',
  );
  const addQuarantine = db.prepare('INSERT OR REPLACE INTO quarantine VALUES (?, ?, ?, ?)');
  const quarantines = db.prepare<[], Quarantine>('SELECT agent_id, since, at FROM quarantine ORDER BY pos');
  const wrote = `custody.agent_id = @agent_id AND custody.written >= @since
    AND custody.status IN (SELECT value FROM json_each(@statuses))`;
  const withhold = db.prepare<Reach>(`UPDATE custody SET quarantined = 1 WHERE ${wrote}`);
  const written = db
    .prepare<Reach, string>(`SELECT path FROM custody JOIN thought USING (id) WHERE ${wrote} ORDER BY path`)
    .pluck();
  const addContext = db.prepare(`INSERT INTO context_event VALUES (?, ?) ON CONFLICT (context_id) ${NEWEST_WINS}`);
  const byHash = db.prepare<[string], EventRow>(`${EVENT} WHERE hash = ?`);
  const byPrefix = db.prepare<[string, string, number], EventRow>(
    `${EVENT} WHERE hash >= ? AND hash < ? ORDER BY hash LIMIT ?`,
  );
  const ofScope = db.prepare<[string, number], EventRow>(
    `${EVENT} WHERE valid = 1 AND envelope ->> '$._local.scope' = ? AND envelope ->> '$._local.verb' <> 'deny'
     ORDER BY pos DESC LIMIT ?`,
  );
  const byPosition = db.prepare<[number], EventRow>(`${EVENT} WHERE pos = ?`);
  const ofThought = db.prepare<[string], EventRow>(`${EVENT} JOIN event_thought USING (pos) WHERE id = ? ORDER BY pos`);
  const ofPath = db.prepare<[string], EventRow>(`${EVENT} JOIN path_event USING (pos) WHERE path = ?`);
  const validFrom = db.prepare<[string, number, number], EventRow>(
    `${EVENT} WHERE valid = 1 AND envelope ->> '$.record.creator_key' = ?
     AND envelope ->> '$.record.waymark.seq' >= ? ORDER BY pos LIMIT ?`,
  );
  const validOf = db.prepare<[string], EventRow>(
    `${EVENT} WHERE valid = 1 AND envelope ->> '$._local.verb' = ? ORDER BY pos`,
  );
  const voided = db.prepare<[], EventRow>(
    `${EVENT} WHERE invalid_reason = 'after_revocation' AND envelope ->> '$._local.verb'
     IN ('init', 'enrol', 'protect', 'revoke', 'rotate', 'recover')`,
  );
  const erasedRecords = db
    .prepare<[], Hash>(`SELECT hash FROM event WHERE envelope ->> '$._local.erased_by' IS NOT NULL`)
    .pluck();
  const newest = db.prepare<[], EventRow>(`${EVENT} ORDER BY pos DESC LIMIT 1`);
  // From the few heads of logs: walking back through the events would pass all of the caller's own.
  const newestOfOthers = db.prepare<[string], EventRow>(
    `${EVENT} WHERE pos = (SELECT max(pos) FROM log_event WHERE log <> ?)`,
  );
  const newestOf = db.prepare<[string], EventRow>(`${EVENT} JOIN log_event USING (pos) WHERE log = ?`);
  const ofContext = db
    .prepare<[string], string>('SELECT hash FROM event JOIN context_event USING (pos) WHERE context_id = ?')
    .pluck();

  const links = eventLinks(db);

  return {
    ...links.read,
    putEvent(event) {
      const { pos, hash, envelope, valid, invalidReason, role } = event;
      const { record, _local: local } = envelope;
      const text = event.text ?? JSON.stringify(envelope);
      const said = [local?.verb ?? null, local?.agent_id ?? null, local?.role ?? null];
      add.run(pos, hash, text, valid ? 1 : 0, invalidReason ?? null, role ?? null, ...said);
      for (const id of thoughtsNamedBy(envelope)) addThought.run(id, pos);
      const erased = valid && local !== undefined ? erasedThoughtOf(local) : null;
      if (erased !== null) forgetPaths(erased);
      for (const { path } of local?.files ?? []) if (maySpeakOf(path, erased)) addPath.run(path, pos);
      if (valid) keepCustody(event);
      if (valid && role !== undefined && local !== undefined) {
        for (const { path } of local.files ?? []) if (putsInForce(local.verb, role, path)) addGoverned.run(path, pos);
      }
      if (record.waymark !== undefined) addLog.run(record.waymark.log, pos);
      addContext.run(record.context_id, pos);
      links.put(record, pos);
    },
    eventByHash: (hash) => eventOrNull(byHash.get(hash)),
    // Above every hex digit.
    eventsByPrefix: (prefix, limit) => byPrefix.all(prefix, `${prefix}g`, limit).map(indexedEvent),
    newestEventsOfScope: (scope, limit) => ofScope.all(scope, limit).map(indexedEvent),
    eventAt: (pos) => eventOrNull(byPosition.get(pos)),
    eventsOfThought: (id) => ofThought.all(id).map(indexedEvent),
    lastEventOfPath(path) {
      const event = eventOrNull(ofPath.get(path));
      const change = event?.envelope._local?.files?.findLast((file) => file.path === path);
      return event === null || change === undefined ? null : { event, change };
    },
    pathsOfEvents(positions) {
      const events = positions.map((pos) => eventOrNull(byPosition.get(pos)));
      const paths = events.flatMap((event) => event?.envelope._local?.files?.map((file) => file.path) ?? []);
      return [...new Set(paths)].sort();
    },
    validEventsFrom: ({ key, seq }, limit = -1) => validFrom.all(key, seq, limit).map(indexedEvent),
    validEventsOf: (verb) => validOf.all(verb).map(indexedEvent),
    voidedKeys() {
      const events = voided.all().map(indexedEvent);
      return new Set(events.flatMap(({ envelope }) => keysNamedBy(envelope)));
    },
    isErased: (id) => isErased.get(id) !== undefined,
    erasedRecords: () => erasedRecords.all(),
    newestEvent: () => eventOrNull(newest.get()),
    newestEventOfOthers: (log) => eventOrNull(newestOfOthers.get(log)),
    newestEventOf: (log) => eventOrNull(newestOf.get(log)),
    custodyOf,
    quarantines: () => quarantines.all(),
    pathsWritten: (by) => written.all(reachOf(by)),
    contextTail: (contextId) => ofContext.get(contextId) ?? null,
  };

  /** Of the file of an erased thought only an erasure says what it is, wherever in the order other events stand. */
  function maySpeakOf(path: string, erased: string | null): boolean {
    const id = parseThoughtPath(path)?.id;
    return id === undefined || id === erased || isErased.get(id) === undefined;
  }

  /** Once: a later erasure of the same thought restates the first one, or adds to it. */
  function forgetPaths(id: string): void {
    if (addErased.run(id).changes === 0) return;
    for (const path of pathsLike.all(id)) if (parseThoughtPath(path)?.id === id) dropPath.run(path);
  }

  function custodyOf(id: string): Custody | null {
    const row = custody.get(id);
    return row === undefined ? null : { ...row, quarantined: row.quarantined === 1 };
  }

  function keepCustody({ pos, envelope }: IndexedEvent): void {
    for (const [id, { agent_id, status, written, quarantined }] of custodyAfter(envelope, custodyOf)) {
      setCustody.run(id, agent_id, status, written, quarantined ? 1 : 0);
    }
    const quarantine = quarantineOf(envelope);
    if (quarantine === null) return;
    addQuarantine.run(pos, quarantine.agent_id, quarantine.since, quarantine.at);
    withhold.run(reachOf(quarantine));
  }
}

interface CustodyRow extends Omit<Custody, 'quarantined'> {
  readonly quarantined: number;
}

interface Reach {
  readonly agent_id: string;
  readonly since: number;
  /** JSON list. */
  readonly statuses: string;
}

const WITHHELD_STATUSES = JSON.stringify(STATUSES.filter(canBeQuarantined));

function reachOf({ agent_id, since }: Pick<Quarantine, 'agent_id' | 'since'>): Reach {
  return { agent_id, since, statuses: WITHHELD_STATUSES };
}

function keysNamedBy({ record, _local: local }: EventEnvelope): readonly string[] {
  const { enrolment, revocation } = local ?? {};
  return [record.creator_key, enrolment?.key, revocation?.key].filter((key) => key !== undefined);
}

function thoughtsNamedBy(envelope: EventEnvelope): ReadonlySet<string> {
  const local = envelope._local;
  const ids = [local?.thought_id, ...(local?.files ?? []).map((file) => file.thought_id)];
  return new Set(ids.filter((id) => id !== undefined));
}

function eventOrNull(row: EventRow | undefined): IndexedEvent | null {
  return row === undefined ? null : indexedEvent(row);
}

function indexedEvent(row: EventRow): IndexedEvent {
  // Written by `putEvent` of this layout, from a parsed envelope.
  const envelope: EventEnvelope = JSON.parse(row.envelope);
  return {
    pos: row.pos,
    hash: row.hash,
    envelope,
    valid: row.valid === 1,
    ...(row.invalid_reason === null ? {} : { invalidReason: row.invalid_reason }),
    ...(row.role === null ? {} : { role: row.role }),
  };
}

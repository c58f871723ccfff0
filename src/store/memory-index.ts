/**
 * A commit in memory, as far as a verification looks at it: no text, no search, and of the events only the last about each
 * path. A third of the time of the index on disk, and nothing to clean up.
 */
import { type EffectiveRevocation, erasedThoughtOf } from '../ledger/index.ts';
import type { EventEnvelope, Hash, Verb } from '../ledger/types.ts';
import { putsInForce, QUARANTINED } from '../record/lifecycle.ts';
import { parseThoughtPath } from '../record/paths.ts';
import { custodyAfter, isWithheldBy, quarantineOf } from './custody.ts';
import type { GovernedSetting } from './index/governed-store.ts';
import type { UnverifiedFile } from './index/overview.ts';
import type {
  Custody,
  IndexedEvent,
  IndexedWriter,
  KnownKey,
  PathEvent,
  Problem,
  Quarantine,
  ThoughtRow,
} from './index/types.ts';
import type { KnownEvent, RebuiltIndex } from './rebuilt-index.ts';

/** An event as text: of a hundred thousand, the parsed ones would take three times the memory. */
interface KeptEvent extends Omit<IndexedEvent, 'envelope'> {
  readonly text: string;
}

/** Verbs that change who may sign. */
const OF_KEYS: ReadonlySet<Verb> = new Set(['init', 'enrol', 'protect', 'revoke', 'rotate', 'recover']);

export class MemoryIndex implements RebuiltIndex {
  #events = new Map<Hash, KnownEvent>();
  #knownOfKey = new Map<string, KnownEvent>();
  #pos = 0;
  #ofPath = new Map<string, KeptEvent>();
  #ofGoverned = new Map<string, KeptEvent>();
  #custody = new Map<string, Custody>();
  #erased = new Set<string>();
  #writers = new Map<string, IndexedWriter>();
  #keys = new Map<string, KnownKey>();
  #revocations = new Map<Hash, EffectiveRevocation>();
  /** The highest place in its log at which a key signed a valid event: behind a hole, later ones may come first. */
  #lastValid = new Map<string, number>();
  #rejected = new Set<string>();
  #voided = new Set<string>();
  /** Valid events that declare a loss or a history made anew: few, and asked for whole. */
  readonly #rare = new Map<Verb, IndexedEvent[]>([
    ['restored', []],
    ['purge', []],
  ]);
  #governed = new Map<string, GovernedSetting>();
  #quarantines: Quarantine[] = [];
  #settings = new Map<string, Uint8Array>();
  #problems: Problem[] = [];
  #unverified: UnverifiedFile[] = [];
  #thoughts = 0;
  #quarantined = 0;
  #rejectedKeys = false;
  #erasedSidecars = 0;

  /** Sidecars that an erasure took away. */
  get erasedSidecars(): number {
    return this.#erasedSidecars;
  }

  /** Keys that an event enrols which does not count. */
  get rejectedKeys(): ReadonlySet<string> {
    return this.#rejected;
  }

  /** An event about keys does not count. */
  get hasRejectedKeys(): boolean {
    return this.#rejectedKeys;
  }

  clear(): void {
    for (const map of [this.#events, this.#ofPath, this.#ofGoverned, this.#custody, this.#writers, this.#keys])
      map.clear();
    for (const map of [
      this.#governed,
      this.#settings,
      this.#revocations,
      this.#lastValid,
      this.#voided,
      this.#rejected,
    ])
      map.clear();
    this.#erased.clear();
    this.#problems = [];
    this.#unverified = [];
    this.#quarantines = [];
    this.#quarantined = 0;
    for (const events of this.#rare.values()) events.length = 0;
    this.#pos = 0;
    this.#thoughts = 0;
    this.#rejectedKeys = false;
    this.#erasedSidecars = 0;
  }

  putEvent({ envelope, text = JSON.stringify(envelope), ...event }: IndexedEvent & { readonly text?: string }): void {
    const { record, _local: local } = envelope;
    this.#pos = Math.max(this.#pos, event.pos);
    this.#events.set(event.hash, this.#knownOf(record.creator_key));
    const kept = { ...event, text };
    if (local?.erased_by !== undefined) this.#erasedSidecars += 1;
    const erased = event.valid && local !== undefined ? erasedThoughtOf(local) : null;
    if (erased !== null) this.#forgetPaths(erased);
    for (const { path } of local?.files ?? []) {
      if (this.#maySpeakOf(path, erased)) this.#ofPath.set(path, kept);
      if (event.valid && event.role !== undefined && local !== undefined && putsInForce(local.verb, event.role, path))
        this.#putUnresolved(path, kept);
    }
    if (event.valid) {
      this.#keepCustody(envelope);
      const { creator_key: key, waymark } = record;
      this.#lastValid.set(key, Math.max(this.#lastValid.get(key) ?? 0, waymark?.seq ?? 0));
      if (local !== undefined) this.#rare.get(local.verb)?.push({ ...event, envelope });
      return;
    }
    this.#keepRejected(envelope, event.invalidReason);
  }

  eventByHash(hash: Hash): KnownEvent | null {
    return this.#events.get(hash) ?? null;
  }

  newestEvent(): { readonly pos: number } | null {
    return this.#pos === 0 ? null : { pos: this.#pos };
  }

  lastEventOfPath(path: string): PathEvent | null {
    return pathEvent(this.#ofPath.get(path), path);
  }

  pathsWithEvents(): IterableIterator<string> {
    return this.#ofPath.keys();
  }

  custodyOf(thoughtId: string): Custody | null {
    return this.#custody.get(thoughtId) ?? null;
  }

  quarantines(): readonly Quarantine[] {
    return this.#quarantines;
  }

  writerTail(log: string): IndexedWriter | null {
    return this.#writers.get(log) ?? null;
  }

  putWriterTail(writer: IndexedWriter): void {
    this.#writers.set(writer.log, writer);
  }

  keys(): readonly KnownKey[] {
    return [...this.#keys.values()].sort((a, b) => a.since - b.since || (a.key < b.key ? -1 : 1));
  }

  putKey(key: KnownKey): void {
    this.#keys.set(key.key, key);
  }

  putRevocation(revocation: EffectiveRevocation): void {
    this.#revocations.set(revocation.event, revocation);
  }

  revocations(): readonly EffectiveRevocation[] {
    return [...this.#revocations.values()].sort((a, b) => (a.event < b.event ? -1 : 1));
  }

  voidedKeys(): ReadonlySet<string> {
    return this.#voided;
  }

  validEventsFrom({ key, seq }: { readonly key: string; readonly seq: number }): readonly number[] {
    const last = this.#lastValid.get(key);
    return last === undefined || last < seq ? [] : [last];
  }

  /** The verification asks for no others. */
  validEventsOf(verb: 'restored' | 'purge'): readonly IndexedEvent[] {
    return this.#rare.get(verb) ?? [];
  }

  /** Answers of calls are for who calls again. */
  putIdempotency(): void {}

  signedVersion(path: string): PathEvent | null {
    return pathEvent(this.#ofGoverned.get(path), path);
  }

  putGoverned(setting: GovernedSetting): void {
    this.#governed.set(setting.path, setting);
  }

  governed(path: string): GovernedSetting | null {
    return this.#governed.get(path) ?? null;
  }

  governedPaths(): readonly string[] {
    return [...this.#governed.keys()].sort();
  }

  setting(path: string): Uint8Array | null {
    return this.#settings.get(path) ?? null;
  }

  settings(prefix: string): readonly { readonly path: string; readonly bytes: Uint8Array }[] {
    const found = [...this.#settings].flatMap(([path, bytes]) => (path.startsWith(prefix) ? [{ path, bytes }] : []));
    return found.sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  putSetting(path: string, bytes: Uint8Array | null): void {
    if (bytes === null) this.#settings.delete(path);
    else this.#settings.set(path, bytes);
  }

  putProblem(problem: Problem): void {
    this.#problems.push(problem);
  }

  /** A commit is read once, so there is none from before. */
  removeProblem(): void {}

  problems(): readonly Problem[] {
    return this.#problems;
  }

  putThought({ path, held, reason }: ThoughtRow): void {
    this.#thoughts += 1;
    if (reason === QUARANTINED) this.#quarantined += 1;
    else if (!held && reason !== undefined) this.#unverified.push({ path, reason });
  }

  removeThought(): void {}

  /** Thoughts that are as they should be, and withheld until somebody decides about them anew. */
  get quarantined(): number {
    return this.#quarantined;
  }

  /** By path. */
  unverified(): readonly UnverifiedFile[] {
    return this.#unverified.sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  /** Who is current is no matter of whether the record is sound. */
  settleSupersession(): void {}

  counts(): { readonly events: number; readonly thoughts: number; readonly logs: number } {
    return { events: this.#events.size, thoughts: this.#thoughts, logs: this.#writers.size };
  }

  /** One for all events of a key: a hundred thousand are kept. */
  #knownOf(creator_key: string): KnownEvent {
    const known = this.#knownOfKey.get(creator_key) ?? { envelope: { record: { creator_key } } };
    this.#knownOfKey.set(creator_key, known);
    return known;
  }

  #putUnresolved(path: string, event: KeptEvent): void {
    this.#ofGoverned.set(path, event);
    this.#governed.set(path, { path, state: 'unresolved', bytes: null });
  }

  #keepRejected({ record, _local: local }: EventEnvelope, reason: string | undefined): void {
    if (local === undefined || !(local.enrolment !== undefined || OF_KEYS.has(local.verb))) return;
    this.#rejectedKeys = true;
    if (local.enrolment !== undefined) this.#rejected.add(local.enrolment.key);
    if (reason !== 'after_revocation' || !OF_KEYS.has(local.verb)) return;
    for (const key of [record.creator_key, local.enrolment?.key, local.revocation?.key]) {
      if (key !== undefined) this.#voided.add(key);
    }
  }

  /** As in the index on disk: of an erased thought's file only an erasure says what it is. */
  #maySpeakOf(path: string, erased: string | null): boolean {
    if (this.#erased.size === 0) return true;
    const id = parseThoughtPath(path)?.id;
    return id === undefined || id === erased || !this.#erased.has(id);
  }

  #forgetPaths(id: string): void {
    if (this.#erased.has(id)) return;
    this.#erased.add(id);
    for (const path of this.#ofPath.keys()) {
      if (path.includes(id) && parseThoughtPath(path)?.id === id) this.#ofPath.delete(path);
    }
  }

  #keepCustody(envelope: EventEnvelope): void {
    for (const [id, custody] of custodyAfter(envelope, (known) => this.custodyOf(known)))
      this.#custody.set(id, custody);
    const quarantine = quarantineOf(envelope);
    if (quarantine === null) return;
    this.#quarantines.push(quarantine);
    for (const [id, custody] of this.#custody) {
      if (isWithheldBy(quarantine, custody)) this.#custody.set(id, { ...custody, quarantined: true });
    }
  }
}

function pathEvent(kept: KeptEvent | undefined, path: string): PathEvent | null {
  if (kept === undefined) return null;
  const { text, ...rest } = kept;
  // It was read as an event before.
  const envelope: EventEnvelope = JSON.parse(text);
  const change = envelope._local?.files?.findLast((file) => file.path === path);
  return change === undefined ? null : { event: { ...rest, envelope }, change };
}

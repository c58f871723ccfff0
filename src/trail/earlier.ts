/**
 * What the ledger proves about thoughts at an earlier commit.
 *
 * A thought was what its file says there only if the last valid event about that file, of those the commit holds, is
 * about exactly those bytes: a file that somebody had edited by hand proves nothing.
 */
import type { Hash } from '../ledger/types.ts';
import { decodeThought } from '../record/codec/index.ts';
import { parseThoughtPath } from '../record/paths.ts';
import type { Earlier } from '../record/return-to.ts';
import type { Namespace, Thought } from '../record/thought.ts';
import { holdToEvent } from '../store/held.ts';
import type { Index } from '../store/index/index.ts';
import type { IndexedEvent, PathEvent } from '../store/index/types.ts';
import type { CommitId, TreeEntry, VersionStore } from '../store/version-store.ts';
import { pathOf } from './point.ts';

export interface EarlierThought {
  readonly standing: Earlier;
  /** When proved. */
  readonly proof?: EarlierProof;
  /** Events since then that change its file, oldest first. */
  readonly since: readonly IndexedEvent[];
}

export interface EarlierProof {
  readonly thought: Thought;
  /** The folder it lay in. */
  readonly namespace: Namespace;
  /** The event that proves it. */
  readonly event: Hash;
  readonly isRetired: boolean;
}

export interface EarlierSources {
  readonly store: VersionStore;
  readonly commit: CommitId;
  /** The present, as the operation sees it. */
  readonly index: Index;
  /** Every path that may differ between the commit and the present: an event on none of them is of then. */
  readonly changed: ReadonlySet<string>;
}

/** The record at one earlier commit, read as far as it is asked about. */
export class EarlierRecord {
  readonly #sources: EarlierSources;
  readonly #files = new Map<string, Promise<ReadonlyMap<string, readonly TreeEntry[]>>>();

  constructor(sources: EarlierSources) {
    this.#sources = sources;
  }

  async thought(id: string, scope: string): Promise<EarlierThought> {
    const events = this.#eventsOf(id);
    const since = events.filter((event) => !this.#isOfThen(event));
    const proof = await this.#prove(id, scope, events);
    if (typeof proof === 'string') return { standing: { kind: proof }, since };
    const { thought, isRetired } = proof;
    const superseded = isRetired || (await this.#hasApprovedSuccessor(thought));
    return { standing: { kind: 'proved', thought, superseded }, proof, since };
  }

  #eventsOf(id: string): readonly IndexedEvent[] {
    return this.#sources.index.eventsOfThought(id).filter(({ valid, envelope }) => {
      const files = envelope._local?.files ?? [];
      return valid && files.some(({ path }) => parseThoughtPath(path)?.id === id);
    });
  }

  #isOfThen(event: IndexedEvent): boolean {
    const path = pathOf(event);
    return path !== null && !this.#sources.changed.has(path);
  }

  async #prove(
    id: string,
    scope: string,
    events: readonly IndexedEvent[],
  ): Promise<EarlierProof | 'absent' | 'unproved'> {
    const ofThen = events.filter((event) => this.#isOfThen(event));
    const [file, second] = (await this.#filesOf(scope)).get(id) ?? [];
    if (file === undefined) return ofThen.some((event) => namesScope(event, scope)) ? 'unproved' : 'absent';
    const place = parseThoughtPath(file.path);
    if (second !== undefined || place === null || !file.mode.startsWith('100')) return 'unproved';
    const bytes = await this.#sources.store.readBlob(file.blob);
    const decoded = decodeThought(bytes);
    if (!decoded.ok) return 'unproved';
    const { thought } = decoded;
    const { held, event, retired } = holdToEvent(lastOf(ofThen, file.path), { path: file.path, bytes, thought });
    if (!held || event === undefined) return 'unproved';
    return { thought, namespace: place.namespace, event, isRetired: retired === true };
  }

  /** As the index judges the present: a back-link that no decision made retires only beside one approved thought. */
  async #hasApprovedSuccessor({ superseded_by: id, superseded_scope: scope }: Thought): Promise<boolean> {
    if (id === undefined) return false;
    const scopes = scope === undefined ? this.#sources.index.thoughtById(id).map((row) => row.scope) : [scope];
    let approved = 0;
    for (const name of new Set(scopes)) {
      const proof = await this.#prove(id, name, this.#eventsOf(id));
      if (typeof proof !== 'string' && proof.thought.validation_status === 'approved') approved += 1;
    }
    return approved === 1;
  }

  /** Files of the scope by thought id. */
  #filesOf(scope: string): Promise<ReadonlyMap<string, readonly TreeEntry[]>> {
    const known = this.#files.get(scope) ?? this.#list(scope);
    this.#files.set(scope, known);
    return known;
  }

  async #list(scope: string): Promise<ReadonlyMap<string, readonly TreeEntry[]>> {
    const { store, commit } = this.#sources;
    const byId = new Map<string, TreeEntry[]>();
    for (const entry of await store.list(commit, `trails/${scope}/thoughts`)) {
      const id = parseThoughtPath(entry.path)?.id;
      if (id === undefined) continue;
      byId.set(id, [...(byId.get(id) ?? []), entry]);
    }
    return byId;
  }
}

function lastOf(events: readonly IndexedEvent[], path: string): PathEvent | null {
  for (const event of [...events].reverse()) {
    const change = event.envelope._local?.files?.findLast((file) => file.path === path);
    if (change !== undefined) return { event, change };
  }
  return null;
}

function namesScope({ envelope }: IndexedEvent, scope: string): boolean {
  return (envelope._local?.files ?? []).some(({ path }) => parseThoughtPath(path)?.scope === scope);
}

/** What the index keeps and answers. The index is disposable: everything in it comes from committed blobs. */
import type { Enrolment, EventEnvelope, FileChange, Hash, WriterTail } from '../../ledger/types.ts';
import type { KeyRole } from '../../record/principal.ts';
import type { Namespace, SourceType, Status, Thought } from '../../record/thought.ts';
import type { VisibilityClass, VisibilityFacts } from '../../record/visibility.ts';

/** Why a thought file is not held to the ledger. */
export type UnverifiedReason =
  | 'no_event'
  | 'changed_since_event'
  | 'event_invalid'
  | 'event_lacks_authority'
  | 'conflict_markers'
  /** The file is what its event says, and an operator withholds what its author wrote. */
  | 'quarantined';

/** One readable thought file at the indexed commit. */
export interface ThoughtRow {
  /** Repository path; the row's identity. */
  readonly path: string;
  readonly scope: string;
  readonly namespace: Namespace;
  readonly blob: string;
  readonly thought: Thought;
  readonly held: boolean;
  readonly reason?: UnverifiedReason;
  /** Hash of the last event about this path. */
  readonly event?: Hash;
  /**
   * A decision retired it, so it stays so whatever becomes of its successor's file. Without it a back-link retires only
   * when it leads to an approved thought (fava.md 3.1).
   */
  readonly retired?: true;
}

export interface StoredThought extends ThoughtRow {
  readonly superseded: boolean;
  readonly facts: VisibilityFacts;
}

/** A file that should be a thought or an event and cannot be read. */
export interface Problem {
  readonly path: string;
  readonly line: number;
  readonly code: string;
  readonly message: string;
}

export interface RecallFilters {
  readonly namespace?: string;
  readonly project?: string;
  readonly branch?: string;
  /** All of them must be present. */
  readonly tags?: readonly string[];
  readonly statuses?: readonly Status[];
  readonly min_confidence?: number;
  readonly source_type?: SourceType;
  /** Only thoughts of this author; how the authoring view is narrowed inside the query. */
  readonly agent_id?: string;
  /** Leave out what has an approved replacement. */
  readonly superseded?: false;
  /** Only what was true in the world then: microseconds since 1970. */
  readonly valid_at?: bigint;
  /** Only what still stands in the present index beside this one: see `OpenIndexOptions.present`. */
  readonly stands?: true;
}

/** Position after which a page starts; see `order`. */
export interface RecallCursor {
  readonly score: number;
  /** Microseconds since 1970 of `created_at`, as a decimal string. */
  readonly time: string;
  /** Thought id, NUL and path: an id may occur in two files, and each is returned once. */
  readonly id: string;
}

export interface RecallQuery {
  /** Existing scopes, exact. */
  readonly scopes: readonly string[];
  readonly classes: readonly VisibilityClass[];
  /** Folded tokens; every one must be a substring. Empty matches all. */
  readonly tokens: readonly string[];
  readonly filters: RecallFilters;
  readonly order: 'relevance' | 'newest';
  readonly limit: number;
  readonly after?: RecallCursor;
}

export interface RecallHit extends StoredThought {
  readonly score: number;
  readonly cursor: RecallCursor;
}

export interface RecallPage {
  readonly hits: readonly RecallHit[];
  /** Exact to 1,000. */
  readonly total: { readonly exact: number } | { readonly at_least: number };
  /** More than 2,000 matched, so the order is newest first whatever was asked. */
  readonly tooCommon: boolean;
}

export interface KnownKey extends Enrolment {
  readonly log: string;
  /** Event position from which the key counts. */
  readonly since: number;
  /** Place of that event. */
  readonly origin: { readonly key: string; readonly seq: number };
}

/** An event as the index knows it. `pos` is its place in the repository's total order. */
export interface IndexedEvent {
  readonly pos: number;
  readonly hash: Hash;
  readonly envelope: EventEnvelope;
  /** Signature, sidecar and enrolment hold. */
  readonly valid: boolean;
  readonly invalidReason?: string;
  /** Role of the signing key at that point; absent when unknown. */
  readonly role?: KeyRole;
}

/** An event and what it says of one path. */
export interface PathEvent {
  readonly event: IndexedEvent;
  readonly change: FileChange;
}

export interface Custody {
  /** Who saved it, or who wrote what was adopted. */
  readonly agent_id: string;
  readonly status: Status;
  /** Unix milliseconds, by the signer's clock: when its text was last written. */
  readonly written: number;
  /** Withheld until an operator decides about it anew. */
  readonly quarantined: boolean;
}

/** A valid `quarantine` event. */
export interface Quarantine {
  readonly agent_id: string;
  /** Unix milliseconds. */
  readonly since: number;
  /** Unix milliseconds: when it was signed. */
  readonly at: number;
}

export interface IndexedWriter extends WriterTail {
  readonly agent_id: string;
}

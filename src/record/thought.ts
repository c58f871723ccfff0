/**
 * The thought: the one kind of record an agent writes.
 *
 * Field names are those on disk and on the wire, so that one word names one thing in code, files, CLI and docs.
 * Nothing here does I/O; the file format lives in `codec/`.
 */

export const SOURCE_TYPES = ['observation', 'inference', 'user_input', 'tool_output', 'decision'] as const;
export type SourceType = (typeof SOURCE_TYPES)[number];

export const STATUSES = ['draft', 'proposed', 'approved', 'rejected', 'error', 'tombstoned'] as const;
export type Status = (typeof STATUSES)[number];

/**
 * Why a person rejects or withdraws a thought. `false` and `harmful` keep its value out unless the person says otherwise;
 * the rest say nothing about the value itself.
 */
export const GROUNDS = ['false', 'harmful', 'outdated', 'duplicate', 'unclear', 'other'] as const;
export type Grounds = (typeof GROUNDS)[number];

export const RELATIONSHIP_TYPES = ['DEPENDS_ON', 'REVISED_BY', 'AUTHORED_BY', 'REFERENCES', 'SUPERSEDES'] as const;
export type RelationshipType = (typeof RELATIONSHIP_TYPES)[number];

export const NAMESPACES = [
  'drafts',
  'decisions',
  'observations',
  'intents',
  'preferences',
  'preferences/client',
  'preferences/firm',
] as const;
export type Namespace = (typeof NAMESPACES)[number];

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

export interface Relationship {
  readonly type: RelationshipType;
  readonly target_id: string;
}

export interface ThoughtMetadata {
  readonly project?: string;
  readonly branch?: string;
  readonly tags: readonly string[];
  /** Free map. Waymark and FAVA own some keys of it: see {@link OWNED_EXTRA_KEYS}. */
  readonly extra: JsonObject;
}

/** One thought as its file says it. Absent optional fields are omitted from the file. */
export interface Thought {
  readonly schema_version: 1;
  readonly thought_id: string;
  readonly parent_id?: string;
  readonly superseded_by?: string;
  readonly superseded_scope?: string;
  readonly supersedes_id?: string;
  readonly supersedes_scope?: string;
  readonly agent_id: string;
  /** 0 to 1. */
  readonly confidence: number;
  readonly source_type: SourceType;
  readonly validation_status: Status;
  readonly intent_ref?: string;
  /** ISO 8601 with an offset or `Z`, microseconds when Waymark writes it. */
  readonly created_at: string;
  readonly relationships: readonly Relationship[];
  readonly metadata: ThoughtMetadata;
  /** Frontmatter keys this version does not know. Kept, so that a rewrite loses nothing. */
  readonly unknown?: JsonObject;
  /** Everything after the closing fence, verbatim. */
  readonly body: string;
}

/** Keys of `metadata.extra` that only Waymark (or FAVA) writes; a caller who sends one is refused. */
export const OWNED_EXTRA_KEYS = [
  'trust_gate',
  'approval',
  'reason',
  'grounds',
  'duplicate_migrations',
  'valid_from',
  'valid_to',
  'review_by',
] as const;

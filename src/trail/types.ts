/**
 * Input and results of the operations. Field names are FAVA's where FAVA has them (fava.md 2.2, 2.3); doors pass the
 * results through as they are.
 */
import type {
  Grounds,
  Json,
  JsonObject,
  Namespace,
  Relationship,
  RelationshipType,
  SourceType,
  Status,
} from '../record/thought.ts';
import type { Mode } from '../record/visibility.ts';
import type { Egress } from '../review/egress.ts';
import type { IndexLag } from '../store/repository.ts';

export interface MetadataInput {
  readonly project?: string | undefined;
  readonly branch?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly extra?: JsonObject | undefined;
}

export interface SaveInput {
  readonly trail_name: string;
  readonly content: string;
  readonly source_type?: SourceType | undefined;
  readonly confidence?: number | undefined;
  readonly namespace?: Namespace | undefined;
  readonly agent_id?: string | undefined;
  readonly parent_id?: string | undefined;
  readonly intent_ref?: string | undefined;
  readonly relationships?: readonly { readonly type: RelationshipType; readonly target_id: string }[] | undefined;
  readonly metadata?: MetadataInput | undefined;
  /** ISO 8601: from when it is true in the world, inclusive; absent: unknown. */
  readonly valid_from?: string | undefined;
  /** ISO 8601: until when, exclusive; absent: unknown or still true. */
  readonly valid_to?: string | undefined;
  /** ISO 8601: when a person should look at it again. */
  readonly review_by?: string | undefined;
  /** Thought ids, prefixes of such, or record hashes; at most 100. */
  readonly informed_by?: readonly string[] | undefined;
  readonly idempotency_key?: string | undefined;
}

export interface UpdateInput {
  readonly trail_name: string;
  readonly thought_id: string;
  readonly content: string;
  readonly informed_by?: readonly string[] | undefined;
  readonly idempotency_key?: string | undefined;
}

export interface GetInput {
  readonly trail_name: string;
  readonly thought_id: string;
  readonly mode?: Mode | undefined;
  readonly statuses?: readonly Status[] | undefined;
  readonly include_superseded?: boolean | undefined;
  /** ISO 8601: only if it was true in the world then. */
  readonly valid_at?: string | undefined;
  /** ISO 8601: as the record knew it then. */
  readonly known_at?: string | undefined;
}

export interface ProposeInput {
  readonly trail_name: string;
  readonly thought_id: string;
  readonly approval?: 'advisory' | 'human' | undefined;
  /** The claim digest the caller reviewed, from `get_thought`. */
  readonly claim?: string | undefined;
  readonly idempotency_key?: string | undefined;
  /** What the person said who was asked about it; with `approval` `human` alone. */
  readonly answer?: PersonAnswer | undefined;
}

/** A thought about which a person is to be asked. */
export type AskInput = Pick<ProposeInput, 'trail_name' | 'thought_id' | 'claim'>;

/** What a person answered, and the claim that was shown. */
export interface PersonAnswer extends Pick<DecideInput, 'verdict' | 'reason' | 'grounds'> {
  readonly claim: string;
}

export interface DecideInput {
  readonly trail_name: string;
  readonly thought_id: string;
  readonly verdict: 'approve' | 'reject' | 'request_changes';
  readonly reason?: string | undefined;
  /** Of a rejection. */
  readonly grounds?: Grounds | undefined;
  /** Keep the value out. @default true for the grounds `false` and `harmful` */
  readonly keep_out?: boolean | undefined;
  readonly claim?: string | undefined;
  /** It came through an agent's tool and no person was asked. @default false */
  readonly unasked?: true | undefined;
  readonly idempotency_key?: string | undefined;
}

export interface SupersedeInput {
  readonly trail_name: string;
  readonly thought_id: string;
  readonly content: string;
  readonly reason: string;
  readonly agent_id?: string | undefined;
  readonly confidence?: number | undefined;
  readonly valid_from?: string | undefined;
  readonly valid_to?: string | undefined;
  readonly review_by?: string | undefined;
  readonly informed_by?: readonly string[] | undefined;
  readonly idempotency_key?: string | undefined;
}

export interface ChangeScopeInput extends SupersedeInput {
  readonly target_trail_name: string;
}

export interface ForgetInput {
  readonly trail_name: string;
  readonly thought_id: string;
  readonly reason: string;
  readonly grounds?: Grounds | undefined;
  /** @default true for the grounds `false` and `harmful` */
  readonly keep_out?: boolean | undefined;
  readonly idempotency_key?: string | undefined;
}

export interface RollbackInput {
  readonly trail_name: string;
  /** A commit, an event or a time; absent, the answer offers some. */
  readonly op_id?: string | undefined;
  /** Shows the plan and writes nothing. */
  readonly dry_run?: boolean | undefined;
  /** Partners in other scopes that may change too. */
  readonly also?: readonly string[] | undefined;
  readonly idempotency_key?: string | undefined;
}

export interface DiffInput {
  readonly trail_name: string;
  /** A commit, an event or a time; absent: the second before the newest change. */
  readonly revision?: string | undefined;
}

export interface RecallInput {
  /** Absent: `trail_names` alone say where. */
  readonly trail_name?: string | undefined;
  readonly query?: string | undefined;
  readonly namespace?: Namespace | undefined;
  readonly scope?:
    | {
        readonly project?: string | undefined;
        readonly branch?: string | undefined;
        readonly tags?: readonly string[] | undefined;
      }
    | undefined;
  readonly include_superseded?: boolean | undefined;
  readonly include_relationships?: boolean | undefined;
  /** 1 to 100, default 20. */
  readonly limit?: number | undefined;
  /** More scopes, exact or globs (`*` one level, `**` any depth). */
  readonly trail_names?: readonly string[] | undefined;
  readonly mode?: Mode | undefined;
  readonly statuses?: readonly Status[] | undefined;
  readonly cursor?: string | undefined;
  /** Whole bodies, under a size cap. */
  readonly full?: boolean | undefined;
  /** Stop the page before it costs more, estimated as characters / 4. */
  readonly max_tokens?: number | undefined;
  readonly min_confidence?: number | undefined;
  readonly source_type?: SourceType | undefined;
  /** Agent id of whoever wrote it. */
  readonly author?: string | undefined;
  /** Adds to each thought a piece of its text around the first match. @default false */
  readonly excerpts?: boolean | undefined;
  readonly order?: 'relevance' | 'newest' | undefined;
  /** ISO 8601: only what was true in the world then. */
  readonly valid_at?: string | undefined;
  /** ISO 8601: as the record knew it then. */
  readonly known_at?: string | undefined;
}

export interface StartInput extends ScopeInput {
  /** What the work is about. */
  readonly description: string;
  readonly idempotency_key?: string | undefined;
}

export interface LearnPreferenceInput extends ScopeInput {
  readonly content: string;
  /** @default firm */
  readonly preference_type?: 'client' | 'firm' | undefined;
  readonly agent_id?: string | undefined;
  readonly metadata?: MetadataInput | undefined;
  readonly idempotency_key?: string | undefined;
}

/** One existing or future scope. */
export interface ScopeInput {
  readonly trail_name: string;
}

export interface ListScopesInput {
  readonly prefix?: string | undefined;
  readonly include_stats?: boolean | undefined;
}

export interface ThoughtSummary {
  readonly thought_id: string;
  readonly source_type: SourceType;
  readonly validation_status: Status;
  readonly confidence: number;
  readonly agent_id: string;
  /** ISO 8601 with `+00:00`. */
  readonly created_at: string;
  /** First 200 characters, `...` when cut. */
  readonly content_preview: string;
  readonly source_trail?: string;
  /** Of its text around the first match; only where asked for. */
  readonly excerpt?: string;
  readonly content?: string;
  /** `content` was cut at the size cap. */
  readonly content_truncated?: true;
  readonly supersedes_id?: string;
  readonly supersedes_scope?: string;
  readonly parent_id?: string;
  readonly superseded_by?: string;
  readonly superseded_scope?: string;
  readonly intent_ref?: string;
  readonly relationships?: readonly Relationship[];
  readonly metadata?: {
    readonly project?: string;
    readonly branch?: string;
    readonly tags?: readonly string[];
    readonly extra?: JsonObject;
  };
  /** `extra.reason`, lifted. */
  readonly reason?: string;
  /** Digest of the claim a decision would bind to. */
  readonly claim?: string;
  /** Only in history: the ledger does not back the file. */
  readonly unverified?: string;
  /** An operator erased its text: what is shown is what is left. */
  readonly erased?: true;
  /** ISO 8601 in UTC, as are the next two: from when it is true in the world, inclusive. */
  readonly valid_from?: string;
  /** Until when, exclusive. */
  readonly valid_to?: string;
  /** When a person should look at it again. */
  readonly review_by?: string;
  /** `review_by` has come. */
  readonly due?: true;
  /** `valid_to` has come. */
  readonly lapsed?: true;
  /** Dates of its file that are none and count as absent. */
  readonly malformed_dates?: readonly string[];
  /** Only with `known_at`: what it is now. */
  readonly present_status?: PresentStatus;
}

/** `unverified`: its file is not as signed; `absent`: no file is left. */
export type PresentStatus = Status | 'superseded' | 'erased' | 'unverified' | 'absent';

export interface WriteResult {
  readonly status: 'ok';
  readonly thought: ThoughtSummary;
  readonly message: string;
  readonly warning?: string;
  /** Entries of `informed_by` that name nothing the caller may see. */
  readonly unresolved?: readonly string[];
  /** Thoughts of the scope that say the same and that the caller may see. */
  readonly duplicate_of?: readonly string[];
  /** Rejected values it comes close to: no model can approve it. */
  readonly near_tombstone?: readonly TombstoneNotice[];
}

/** A rejected value as a writer in its scope learns of it; never the value. */
export interface TombstoneNotice {
  readonly tombstone: string;
  readonly scope: string;
  readonly reason: string;
  /** ISO 8601. */
  readonly since: string;
}

export interface GetResult {
  readonly status: 'ok';
  readonly thought: ThoughtSummary;
  readonly index?: IndexLag;
}

export interface ProposeResult {
  /** `proposed`: waits for a person. `error`: the model gave no verdict; the thought is its author's. */
  readonly status: 'ok' | 'proposed' | 'rejected' | 'error';
  readonly thought: ThoughtSummary;
  readonly message: string;
  readonly near_tombstone?: readonly TombstoneNotice[];
  /** What a model said of it. */
  readonly trust_gate?: TrustGateResult;
  /** What left this machine for it. */
  readonly trust_gate_egress?: Egress;
}

/** FAVA's names (fava.md 2.3). */
export interface TrustGateResult {
  readonly verdict: 'approve' | 'reject' | 'error';
  /** Text of the model, a stranger; of an error ours. */
  readonly reasoning: string;
  readonly kind: 'llm_advisory';
  /** `llm:` and the model. */
  readonly reviewer: string;
  readonly model: string;
  readonly policy: string;
  /** `sha256:` of the instructions it was given. */
  readonly prompt: string;
  /** Name of the failure. */
  readonly error?: string;
  readonly confidence?: number;
  readonly noul_probability?: number;
  readonly threshold?: number;
}

export interface SupersedeResult {
  readonly status: 'ok';
  readonly new_thought: ThoughtSummary;
  readonly supersedes_thought_id: string;
  readonly reason: string;
  readonly message: string;
  readonly source_trail?: string;
  readonly target_trail?: string;
  readonly warning?: string;
  readonly unresolved?: readonly string[];
  readonly near_tombstone?: readonly TombstoneNotice[];
}

export interface RecallResult {
  readonly status: 'ok';
  /** Of this page. */
  readonly count: number;
  readonly total: number | { readonly at_least: number };
  readonly thoughts: readonly ThoughtSummary[];
  /** Targets of the page's relationships that the caller may see; only with `include_relationships`. */
  readonly related?: readonly ThoughtSummary[];
  readonly cursor?: string;
  /** What the caller should know: order changed, page cut, files that could not be read. */
  readonly notes?: readonly string[];
  readonly index?: IndexLag;
  readonly filters: Readonly<Record<string, Json>>;
}

export interface StartResult {
  readonly status: 'ok';
  /** Context id of the line of work, 32 lower-case hex. */
  readonly change_id: string;
  readonly description: string;
  readonly message: string;
}

export interface SyncResult {
  readonly status: 'not_configured';
  readonly message: string;
}

export interface Conflict {
  /** Repository path, or the branch. */
  readonly file: string;
  readonly description: string;
  readonly resolution_hint: string;
}

export interface ConflictsResult {
  readonly status: 'ok' | 'conflict';
  readonly has_conflicts: boolean;
  readonly count?: number;
  readonly conflicts?: readonly Conflict[];
  readonly message: string;
}

/** What a session of work in one scope begins with. */
export interface SessionStart {
  readonly status: 'ok';
  /** Newest first, each thought in one group. */
  readonly session: Readonly<Record<SessionGroup, readonly SessionEntry[]>>;
  /** The caller's own drafts here; exact to 1,000. */
  readonly own_drafts: number;
  /** The caller's own proposals here that wait for a decision; an operator's own and everybody's. */
  readonly proposals: number;
  /** ISO 8601; when the longest waiting of them was put forward. */
  readonly oldest_proposal?: string;
  readonly index?: IndexLag;
}

export type SessionGroup = 'status' | 'decisions' | 'gotchas' | 'preferences';

export interface SessionEntry {
  readonly thought_id: string;
  /** One line. */
  readonly preview: string;
}

export interface ListScopesResult {
  readonly status: 'ok';
  readonly count: number;
  readonly scopes: readonly { readonly path: string; readonly thought_count?: number }[];
  readonly index?: IndexLag;
}

export const ROLLBACK_ACTIONS = ['withdraw', 'reinstate', 'retire', 'return', 'redraft', 'leave'] as const;

/**
 * What a rollback does to one thought: withdraws it, makes it current again, retires it again, gives it its earlier
 * status back, saves its earlier text as a new draft, or leaves it alone.
 */
export interface RollbackChange {
  readonly thought_id: string;
  readonly scope: string;
  readonly action: (typeof ROLLBACK_ACTIONS)[number];
  /** Absent where no file is. */
  readonly from?: Status | 'superseded';
  readonly to?: Status | 'superseded';
  readonly why: string;
  /** The draft that holds the earlier text; not in a dry run. */
  readonly new_thought_id?: string;
}

export interface RollbackResult {
  readonly status: 'ok';
  readonly message: string;
  readonly changes: readonly RollbackChange[];
  readonly dry_run: boolean;
  /** Changes in other scopes: refused unless `also` names each. */
  readonly partners?: readonly RollbackChange[];
}

export interface DiffResult {
  readonly status: 'ok';
  /** A line in all, then one for each thought or other file. */
  readonly summary: string;
  /** Repository paths. */
  readonly files_changed: readonly string[];
}

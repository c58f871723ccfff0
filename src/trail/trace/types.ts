/** Input and result of `trace`: the members of atrib's README first, then ours. */
import type { LinkKind } from '../../ledger/links.ts';
import type { Hash } from '../../ledger/types.ts';
import type { JsonObject } from '../../record/thought.ts';
import type { IndexLag } from '../../store/repository.ts';
import type { TracedThought } from './source.ts';

export const TRACE_LIMITS = { depth: 10, maxNodes: 500, list: 100 } as const;

export const DIRECTIONS = ['backward', 'forward', 'both'] as const;
export type Direction = (typeof DIRECTIONS)[number];

export interface TraceInput {
  /** A record hash, or a thought id or prefix of one: then the newest visible event about the thought. */
  readonly record_hash: string;
  /** 0 to 10. @default 3 */
  readonly depth?: number | undefined;
  /** 1 to 500. @default 200 */
  readonly max_nodes?: number | undefined;
  /** `false` gives the whole record. @default true */
  readonly compact?: boolean | undefined;
  /** @default backward */
  readonly direction?: Direction | undefined;
  /** Only records of this context; others are named `out_of_scope`. */
  readonly context_id?: string | undefined;
  /** @default false */
  readonly include_content?: boolean | undefined;
  /** @default informed_by alone */
  readonly follow?: readonly LinkKind[] | undefined;
  /** Check signatures. @default true */
  readonly verify?: boolean | undefined;
  readonly cursor?: string | undefined;
}

export interface SidecarSummary {
  readonly tool_name?: string;
  readonly span_kind?: string;
  readonly span_name?: string;
  readonly model_name?: string;
  readonly prompt_version?: string;
  readonly topics?: readonly string[];
  readonly intent?: string;
  readonly rationale?: string;
  readonly what?: string;
  readonly importance?: string;
  readonly producer?: string;
  /** Of Waymark's own events: what was done, by whom, and why. */
  readonly verb?: string;
  readonly agent_id?: string;
  /** Agent id of the person for whom a service signed. */
  readonly attested?: string;
  readonly reason?: string;
}

export type Verification = {
  readonly status: 'valid' | 'bad_signature' | 'malformed' | 'unverifiable';
  /** Absent when valid. */
  readonly reason?: string;
};

/** What every visited record has, compact or whole. */
interface VisitedBase {
  readonly depth: number;
  readonly record_hash: Hash;
  readonly parent_hashes: readonly Hash[];
  /** Length of `parent_hashes` before it was cut. */
  readonly parent_total?: number;
  readonly source: string;
  readonly next_informed_by: readonly Hash[];
  /** Length of `next_informed_by` before it was cut. */
  readonly next_total?: number;
  /** Absent with `verify: false`. */
  readonly verification?: Verification;
  readonly thought?: TracedThought;
  /** The erasure that took the sidecar away; what is shown of it is the operator's word. */
  readonly erased_by?: Hash;
  /** Whether the sidecar is the one the record commits to; absent when either is. */
  readonly content_matches?: boolean;
  /** Sources whose sidecars contradict the one shown. */
  readonly sidecar_conflicts?: readonly string[];
}

export interface VisitedRecord extends VisitedBase {
  readonly event_type: string;
  readonly context_id: string;
  readonly creator_key: string;
  readonly timestamp: number;
  /** Present here, whether or not the walk reached it. */
  readonly next_resolved: readonly Hash[];
  readonly next_dangling: readonly Hash[];
  readonly sidecar_summary?: SidecarSummary;
  readonly informed_by?: readonly Hash[];
  /** Length of `informed_by` before it was cut. */
  readonly informed_by_total?: number;
  readonly tool_name?: string;
  readonly args_hash?: Hash;
  readonly result_hash?: Hash;
  readonly local_content?: unknown;
  /** `local_content` is the beginning of its JSON, since it is longer than 64 KiB. */
  readonly content_truncated?: true;
  readonly local_producer?: string;
  /** The other links, each only when it was asked for by `follow`. */
  readonly annotates?: Hash;
  readonly revises?: Hash;
  readonly chain_root?: Hash;
  readonly provenance_token?: string;
}

/** With `compact: false`; `record` stands before `source`. */
export interface VisitedWhole extends VisitedBase {
  readonly record: JsonObject;
}

export const DANGLING_REASONS = ['missing', 'out_of_scope', 'logged_elsewhere', 'unreadable'] as const;

export interface DanglingDetail {
  readonly record_hash: Hash;
  readonly reason: (typeof DANGLING_REASONS)[number];
  /** What a log says of it: only with `logged_elsewhere`. */
  readonly logged?: LoggedFacts;
}

/** A log's word, without proof. */
export interface LoggedFacts {
  readonly log_index: number;
  readonly creator_key: string;
  readonly context_id: string;
  readonly timestamp: number;
  /** A URI; `extension` when the log says no more. */
  readonly event_type: string;
}

/** What left this machine for an answer. */
export interface Egress {
  readonly hosts: readonly string[];
  readonly requests: number;
}

export interface TraceResult {
  readonly start_hash: Hash;
  readonly direction: Direction;
  readonly depth_requested: number;
  readonly depth_reached: number;
  readonly visited: readonly (VisitedRecord | VisitedWhole)[];
  readonly dangling: readonly Hash[];
  /** A record that is here lies beyond `depth`. */
  readonly truncated_by_depth: boolean;
  /** A record that is here was left out by `max_nodes`. */
  readonly truncated_by_cap: boolean;
  readonly warnings: readonly string[];
  readonly dangling_details: readonly DanglingDetail[];
  /** Goes on where this page ended. */
  readonly cursor?: string;
  /** What left this machine for this answer: only when something did. */
  readonly egress?: Egress;
  readonly index?: IndexLag;
}
